"use strict";(()=>{var W=class extends Error{constructor(n,s){super(s);this.status=n}status},re=(()=>{let t=document.getElementById(
"tabard-data");return t?JSON.parse(t.textContent??"{}").answers:null})(),q=re!==null;function Ee(t,e={}){let n=Object.
keys(e).sort().filter(s=>e[s]!==void 0&&e[s]!=="").map(s=>`${encodeURIComponent(s)}=${encodeURIComponent(String(
e[s]))}`);return"/api/"+t+(n.length?"?"+n.join("&"):"")}var ee=new Map,Wt=200;function qt(t,e){let n=ee.get(t);
if(n)return ee.delete(t),ee.set(t,n),n;let s=e();ee.set(t,s),s.catch(()=>ee.delete(t));for(let i of ee.keys()){
if(ee.size<=Wt)break;ee.delete(i)}return s}function Xe(){return new W(404,"This is not in this file: open the \
recording itself with tabard view.")}async function Jt(t){if(!re||!(t in re))throw Xe();let e=re[t];if(typeof e==
"object"&&e.error)throw new W(409,e.error);return e}async function Ye(t,e){for(;;){let n;try{n=await fetch(t,{
signal:e.signal??null,credentials:"same-origin"})}catch(s){throw e.signal?.aborted?s:new W(0,"The server does \
not answer: has tabard view ended? Start it again, and reload this page.")}if(n.status!==202)return n;if(e.pending?.(
await n.json()),await new Promise(s=>setTimeout(s,300)),e.signal?.aborted)throw new DOMException("aborted","Ab\
ortError")}}async function Ve(t){if(t.status===401||t.status===403)return new W(t.status,"This page may not as\
k the server: open the address that tabard view printed.");try{return new W(t.status,(await t.json()).error)}catch{
return new W(t.status,`The server answered with status ${t.status}.`)}}function O(t,e={},n={}){let s=Ee(t,e);return re?
Jt(s):qt(s,async()=>{let i=await Ye(s,n);if(!i.ok)throw await Ve(i);return await i.json()})}async function Ge(t,e={}){
if(re){let s=re[t];if(typeof s!="string")throw Xe();return Uint8Array.from(atob(s),i=>i.charCodeAt(0)).buffer}
let n=await Ye(t,e);if(!n.ok)throw await Ve(n);return n.arrayBuffer()}var Xt=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;function te(t){return t.replace(Xt,e=>{let n=e.codePointAt(0)??
0;return n===10?"\\n":n===9?"\\t":n<256?"\\x"+n.toString(16).padStart(2,"0"):n<65536?"\\u"+n.toString(16).padStart(
4,"0"):"\\U"+n.toString(16).padStart(8,"0")})}function m(t,e={},...n){let s=document.createElement(t);return Ze(
s,e),T(s,...n),s}function ue(t,e={},...n){let s=document.createElementNS("http://www.w3.org/2000/svg",t);return Ze(
s,e),T(s,...n),s}function Ze(t,e){for(let[n,s]of Object.entries(e))typeof s=="function"?t.addEventListener(n,s):
typeof s=="string"?t.setAttribute(n,te(s)):typeof s=="number"?t.setAttribute(n,String(s)):s===!0&&t.setAttribute(
n,"")}function T(t,...e){t.replaceChildren(...e.filter(n=>n!=null&&n!==!1).map(n=>n instanceof Node?n:te(String(
n))))}function Re(t,...e){let n=m("dialog",{"aria-label":t},m("h2",{},t),...e,m("div",{class:"controls"},m("form",{method:"\
dialog"},m("button",{},"close"))));n.addEventListener("close",()=>n.remove()),document.body.append(n),n.showModal()}
var Yt=[["W S","zoom in and out in time"],["A D","move in time"],["\u2190 \u2192","move in time"],["\u2191 \u2193",
"move over ranks"],["+ \u2212","fewer, more ranks"],["0","the whole run"],["F","look at the selection"],["[ ]",
"previous, next iteration"],["O","next outlier iteration"],["/","search"],["U, Ctrl+Z","undo (also: back)"],["\
Shift+U, Ctrl+Y","redo"],["Esc","select everything again"],["M","messages on, off"],["C","copy as command"],["\
E","export"],["T","dark, light"],["1 \u2026 9","the panels"],["wheel","zoom in time; Shift: move; Alt: ranks"],
["drag","select time and ranks; Shift: move"],["click","select a rank, or show a call; Ctrl: more ranks"],["do\
uble click","look at the selection"]];function Ae(){Re("Keys and mouse",m("div",{class:"keys"},...Yt.flatMap(([
t,e])=>[m("kbd",{},t),m("span",{},e)])),m("p",{},"All panels show what is selected: ranks, functions, communic\
ators, time and steps, in the words of the command line. Tables: arrow keys, Page Up and Down, Home, End, and \
Enter to choose; Tab goes to the next part of the page."))}function ge(t,e,n){let s=m("textarea",{readonly:!0,
rows:Math.min(8,Math.ceil(e.length/80)+1),cols:84,"aria-label":t});s.value=e,navigator.clipboard?.writeText(e).
then(()=>n("copied: "+e),()=>{}),Re(t,s),s.focus(),s.select()}function Qe(t){Re("Take along",...t.map(e=>m("p",
{},m("button",{type:"button",click:()=>e.run()},e.text))))}function Ne(t,e){let n=URL.createObjectURL(e);m("a",
{href:n,download:t}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4)}function pe(t,e){if(t===0)return"0";let n=Number(t.toExponential(e-1).split("e")[1]);return n<-6||n>15?t.toPrecision(
e):t.toFixed(Math.max(0,e-1-n))}function k(t){let e=Math.abs(t);if(e<999.5)return(Number.isInteger(t)?String(t):
pe(t,3))+" ns";if(e<999500)return pe(t/1e3,3)+" us";if(e<9995e5)return pe(t/1e6,3)+" ms";if(e<11995e7)return pe(
t/1e9,3)+" s";if(e<72e11){let s=Math.round(t/1e9);return`${Math.trunc(s/60)} min ${Math.abs(s%60)} s`}let n=Math.
round(t/6e10);return`${Math.trunc(n/60)} h ${Math.abs(n%60)} min`}function j(t){if(Math.abs(t)<1024)return(Number.
isInteger(t)?String(t):pe(t,3))+" B";let e=0;for(t/=1024;Math.abs(t)>=1023.95&&e<5;e++)t/=1024;return`${t.toFixed(
1)} ${"KMGTPE"[e]}iB`}function M(t){return String(Math.round(t)).replace(/\B(?=(\d{3})+$)/g,",")}function H(t){
let e=100*t;return Number.isNaN(e)?"-":e>0&&e<.05?"<0.1%":e.toFixed(1)+"%"}function F(t,e){return t===1?"1 "+e:
M(t)+" "+e+(/(s|ch)$/.test(e)?"es":"s")}function Oe(t,e){let n=Math.min(9,Math.max(0,2-Math.floor(Math.log10(Math.max(e,1)/1e9))));return(t/1e9).toFixed(
n)+" s"}function z(t,e=[]){let n={};for(let[s,i]of Object.entries(t.selection))e.includes(s)||(n[s]=i);return n}function J(t){
return JSON.stringify(t.selection)}function ne(t){return t instanceof W?t.message:`This page failed: ${t instanceof
Error?t.message:String(t)}`}function Vt(t){return t instanceof W&&(t.status===409||t.status===404)}var et=new WeakMap;
async function R(t,e,n=s=>T(t,m("p",{class:"pending",role:"status"},s))){et.get(t)?.abort();let s=new AbortController;
et.set(t,s),t.setAttribute("aria-busy","true");let i=setTimeout(()=>{s.signal.aborted||n("\u2026")},150),a=c=>{
if(s.signal.aborted)return;clearTimeout(i);let o=c.total>0?`: ${M(c.done)} of ${M(c.total)}`:c.done>0?`: ${M(c.
done)}`:"";n(c.what+o+" \u2026")};try{let c=await e(s.signal,a);s.signal.aborted||T(t,...c)}catch(c){s.signal.
aborted||T(t,m("p",{class:Vt(c)?"empty":"failed",role:"status"},ne(c)))}clearTimeout(i),s.signal.aborted||t.removeAttribute(
"aria-busy")}function L(t,e,n,s){return O(t,e,{signal:n,pending:s})}function Gt(t){let e=(t.file??"").replace(
/^.*\//,"");return t.line?`${e}:${t.line}`+(t.func?` [${t.func}]`:""):t.code?t.code:t.offset!==void 0?`${e||t.
func||"?"}+0x${t.offset.toString(16)}`:t.func??e}function Z(t){return(t??[]).map(Gt).join(" < ")}function I(t,e,n,s){
let i=m("select",{change:a=>s(a.target.value)},...e.map(([a,c])=>m("option",{value:a,selected:a===n},c)));return m(
"label",{},t,i)}var X=["rank","function","comm","time","in","steps","step_loop"],Zt={rank:"--rank",function:"--function",comm:"\
--comm",time:"--time",in:"--in",steps:"--steps",step_loop:"--step-loop"},ae={selection:{},panel:"sites",color:"\
activity",order:"rank",detail:""};function He(t){let e=new URLSearchParams;for(let n of X)t.selection[n]&&e.set(
n,t.selection[n]);return t.view&&e.set("view",t.view.map(n=>String(Math.round(n))).join("_")),t.panel!==ae.panel&&
e.set("panel",t.panel),t.color!==ae.color&&e.set("color",t.color),t.order!==ae.order&&e.set("order",t.order),t.
call&&e.set("call",t.call.join(".")),t.detail&&e.set("detail",t.detail),e.toString()}function tt(t,e){let n=(t??
"").split(e).map(Number);if(!(n.length!==4||n.some(s=>!Number.isFinite(s))))return n}function nt(t){let e=new URLSearchParams(
t.replace(/^#/,"")),n={...ae,selection:{}};for(let s of X){let i=e.get(s);i&&(n.selection[s]=i)}return n.view=
tt(e.get("view"),"_"),n.view&&(n.view[1]<=n.view[0]||n.view[3]<1)&&(n.view=void 0),n.call=tt(e.get("call"),"."),
n.panel=e.get("panel")??ae.panel,n.color=e.get("color")??ae.color,n.order=e.get("order")??ae.order,n.detail=e.
get("detail")??"",n}var we=class{state=nt(location.hash);listeners=[];place=0;last=0;moved=0;late;constructor(){
history.replaceState({place:0},""),addEventListener("popstate",e=>{let n=e.state?.place;n===void 0?history.replaceState(
{place:++this.place},""):this.place=n,this.last=Math.max(this.last,this.place),this.moved=0,clearTimeout(this.
late),this.late=void 0,this.enter(nt(location.hash))})}get now(){return this.state}listen(e){this.listeners.push(
e)}set(e,n=!1){let s={...this.state,...e},i=He(s);if(i===He(this.state))return;let a=n&&performance.now()-this.
moved<800;this.moved=n?performance.now():0,a?this.late??=setTimeout(()=>this.settle(),300):(this.settle(),this.
last=++this.place,history.pushState({place:this.place},"","#"+i)),this.enter(s)}settle(){this.late!==void 0&&(clearTimeout(
this.late),this.late=void 0,history.replaceState({place:this.place},"","#"+He(this.state)))}select(e,n={}){let s={
...this.state.selection,...e};for(let i of X)s[i]||delete s[i];this.set({...n,selection:s})}get link(){return this.
settle(),location.href}undo(){this.settle(),this.place>0&&history.back()}redo(){this.settle(),this.place<this.
last&&history.forward()}enter(e){let n=this.state;this.state=e;for(let s of this.listeners)s(e,n)}};function he(t){
return/^[\w@%+=:,./-]+$/.test(t)?t:"'"+t.replaceAll("'","'\\''")+"'"}function De(t){return X.filter(e=>t[e]).map(
e=>`${Zt[e]} ${he(t[e]??"")}`).join(" ")}function ve(t){let e=[...new Set(t)].sort((s,i)=>s-i),n=[];for(let s=0;s<
e.length;){let i=s;for(;i+1<e.length&&e[i+1]===(e[i]??0)+1;)i++;n.push(s===i?String(e[s]):`${e[s]}-${e[i]}`),s=
i+1}return n.join(",")}function ye(t,e){return t?t.split(",").some(n=>{let[s,i]=n.split("-").map(Number);return s!==
void 0&&e>=s&&e<=(i??s)}):!0}function se(t,e,n,s=" of"){return m("div",{class:"figure"+s,title:n},m("dt",{},t),m("dd",{},e))}function st(t){
let e=m("section",{class:"verdict","aria-label":"Verdict"}),n="",s=()=>{let i=JSON.stringify(t.store.now.selection);
if(i===n)return;n=i;let a=t.overview;R(e,async(c,o)=>{let r;try{r=await L("report",z(t.store.now),c,o)}catch(f){
return[m("dl",{},...je(a)),m("div",{class:"sentence"},ne(f))]}let d=r.efficiency,u=(r.ranks??[]).reduce((f,b)=>f+
b.end_ns-b.begin_ns,0),h=Object.values(r.waits??{}).reduce((f,b)=>f+b.time_ns,0),l=(r.groups??[]).reduce((f,b)=>f+
b.time_ns,0);return[m("dl",{},r.elapsed_ns!==void 0&&se("time",k(r.elapsed_ns),"from the first call after MPI_\
Init to the last before MPI_Finalize"),d&&se("parallel efficiency",H(d.parallel),"the part of the time of all \
ranks that is computation: load balance x communication efficiency"),d&&se("load balance",H(d.load_balance),"m\
ean computation of the ranks, by the greatest"),d&&se("communication eff.",H(d.communication),"the greatest co\
mputation of a rank, by the time of the run"),l>0&&u>0&&se("in calls",H(l/u),"of the time of all ranks"),r.waits&&
u>0&&se("waiting for others",H(h/u),"of the time of all ranks: in calls that could not go on since another ran\
k came late"),...je(a)),m("div",{class:"sentence"},i==="{}"?"":"of what is selected")]},c=>{let o=e.querySelector(
".sentence");o?T(o,c):T(e,m("dl",{},...je(a)),m("div",{class:"sentence"},c))})};return t.store.listen(s),s(),e}
function je(t){return[se("ranks",M(t.processes)+(t.threads>t.processes?` (${F(t.threads,"thread")})`:""),F(t.hosts,
"host"),""),se("calls",M(t.calls),"in the whole recording","")]}function it(t){let e=t.banner,n=[];return t.timed||
n.push("No times of calls were recorded: there is no map. Record with --timing=lossy."),e.time_error_ns>0&&n.push(
`times are within ${k(e.time_error_ns)}`),e.clock_residual_ns>0&&n.push(`clocks of hosts agree within ${k(e.clock_residual_ns)}`),
e.unmeasured_clocks>0&&n.push(`the clocks of ${F(e.unmeasured_clocks,"host")} are not corrected`),e.unfinished_calls>
0&&n.push(`${F(e.unfinished_calls,"call")} did not return`),e.lost_calls>0&&n.push(`${F(e.lost_calls,"call")} \
were lost`),e.snapshot&&n.push(`the job was still running when this was taken (${e.snapshot})`),e.incomplete&&
n.push(e.incomplete),m("section",{class:"banner","aria-label":"What limits these numbers"},...n.map(s=>m("span",
{},s)))}function Qt(t){let e={},n="";for(let i=1;i<t.length;i++){let[a="",c]=(t[i]??"").split(/=(.*)/s),o=a.replace(
/^--/,"").replaceAll("-","_"),r=c??t[i+1]??"";if(X.includes(o))e[o]=r;else if(o==="cause")n="causes,cause:"+r,
e.rank=r;else if(o==="kind")n="places,kind:"+r;else continue;c===void 0&&i++}let s={waits:"waits",messages:"me\
ssages",matrix:"matrix",loops:"loops",outliers:"outliers",histogram:"histogram",profile:"sites",report:"sites",
timeline:"sites"}[t[0]??""]??"sites";return{selection:e,panel:s,detail:n}}function ot(t){let e=m("ol",{class:"\
findings"}),n=m("h2",{},"Findings"),s="",i=c=>{let o=Qt(c.command??[]),r=o.selection;c.step>=0&&!r.steps&&(r.steps=
String(c.step)),c.process>=0&&!r.rank&&(r.rank=String(c.process)),!Object.keys(r).length&&c.func&&(r.function=
c.func);let d=c.process>=0&&(c.command?.[0]==="dump"||["hang","deadlock","crash"].includes(c.kind));t.store.set(
{selection:r,panel:d?"call":o.panel,detail:o.detail,...d?{call:[0,c.process,0,-1]}:{}}),r.steps&&c.step>=0&&dispatchEvent(
new CustomEvent("jump",{detail:c.step})),t.say("selected: "+c.text)};return s||(s="all",R(e,async(c,o)=>{let r=await L(
"report",{},c,o);return T(n,`Findings (${r.findings.length})`),r.findings.length?r.findings.map(d=>m("li",{},m(
"button",{type:"button",title:d.text,click:()=>i(d)},m("span",{class:"cost"},d.cost_ns>0?`${k(d.cost_ns)}, ${H(
d.share)}`:""),m("span",{class:"kind"},d.kind),m("span",{class:"text short"},d.text)))):[m("li",{class:"empty"},
"Nothing stands out: no finding concerns 1% of the time.")]})),m("aside",{"aria-label":"Findings"},n,e)}var xe=[4456788,4728952,4082057,3238030,2523790,2072201,3520377,7261784,11918891,16639781],U=[{key:"computatio\
n",name:"computation",light:14278114,dark:3752525},{key:"point_to_point",name:"point to point",light:29362,dark:29362},
{key:"wait",name:"wait",light:13983232,dark:13983232},{key:"collective",name:"collective",light:15113984,dark:15113984},
{key:"rma",name:"one-sided",light:13400487,dark:13400487},{key:"io",name:"files",light:40563,dark:40563},{key:"\
other_mpi",name:"other MPI",light:5682409,dark:5682409},{key:"lifecycle",name:"init and finalize",light:11782108,
dark:5071224},{key:"unselected",name:"not chosen",light:9081758,dark:9081758}];function ke(t){return[t>>16,t>>
8&255,t&255]}var rt=new Map;function ie(t){let e=rt.get(t);return e===void 0&&rt.set(t,e="#"+t.toString(16).padStart(
6,"0")),e}var K=(()=>{let t=new Uint8Array(768);for(let e=0;e<256;e++){let n=e/255*(xe.length-1),s=Math.min(Math.
trunc(n),xe.length-2),i=ke(xe[s]??0),a=ke(xe[s+1]??0);for(let c=0;c<3;c++)t[3*e+c]=Math.round((i[c]??0)*(1-(n-
s))+(a[c]??0)*(n-s))}return t})(),at=matchMedia("(prefers-color-scheme: dark)"),ze=new Map,lt;function en(){ze.
clear(),lt=void 0}addEventListener("themechange",en);at.addEventListener("change",()=>dispatchEvent(new Event(
"themechange")));function Y(){let t=document.documentElement.dataset.theme;return lt??=t?t==="dark":at.matches}
function V(t){let e=U[t]??U[0];return Y()?e.dark:e.light}function C(t){let e=ze.get(t);return e===void 0&&(e=getComputedStyle(
document.documentElement).getPropertyValue("--"+t).trim(),ze.set(t,e)),e}var ct=[["activity","activity"],["mpi","share in calls"],...U.slice(0,8).map(t=>[t.key,"share of "+t.name])];function dt(t,e){
let n=m("div",{class:"legend",role:"list","aria-label":"Legend"}),s=()=>{if(t.now.color==="activity"){T(n,...U.
map((o,r)=>{if(!e.seen.has(o.key))return null;let d=m("span",{class:"swatch","aria-hidden":"true"});return d.style.
background=ie(V(r)),m("span",{class:"key",role:"listitem"},d,o.name)}));return}let i=m("canvas",{class:"ramp",
width:256,height:1,"aria-hidden":"true"}),a=i.getContext("2d"),c=a?.createImageData(256,1);if(a&&c){for(let o=0;o<
256;o++)c.data.set([K[3*o]??0,K[3*o+1]??0,K[3*o+2]??0,255],4*o);a.putImageData(c,0,0)}T(n,m("span",{class:"key"},
"0%",i,"100% of the time"))};return t.listen((i,a)=>{i.color!==a.color&&s()}),e.element.addEventListener("seen",
s),addEventListener("themechange",s),s(),n}var tn=150;function mt(t,e,n,s,[i,a]){let c=new Set,o=[];for(let u of e)for(let h of u.arrows??[]){let l=`${h.
from}.${h.send}-${h.to}.${h.receive}`;c.has(l)||(c.add(l),!(n(h.end_ns)<i||n(h.begin_ns)>a||!s.has(h.from)&&!s.
has(h.to))&&o.push(h))}if(o.length>tn)return;let r=C("line"),d=C("bad");for(let u of[!1,!0]){t.strokeStyle=u?d:
r,t.fillStyle=t.strokeStyle,t.lineWidth=u?1.6:1,t.beginPath();for(let h of o){if(h.wait_ns>0!==u)continue;let l=s.
get(h.from)??(s.get(h.to)??0)+(h.from<h.to?-2e3:2e3),f=s.get(h.to)??l+(h.to>h.from?2e3:-2e3),b=n(h.begin_ns),y=n(
h.end_ns);t.moveTo(b,l),t.lineTo(y,f);let g=Math.atan2(f-l,y-b);for(let x of[2.7,-2.7])t.moveTo(y,f),t.lineTo(
y+7*Math.cos(g+x),f+7*Math.sin(g+x));if(u){let x=n(h.end_ns-h.wait_ns);t.moveTo(x,f+4),t.lineTo(y,f+4),t.moveTo(
x,f+1),t.lineTo(x,f+7)}}t.stroke()}}var nn=4e3,Me=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;arrowPieces=new Map;aligned(e,n){
let s=2**Math.ceil(Math.log2(Math.max(64,n-e)));return{length:s,first:Math.floor(e/s),last:Math.floor(n/s)}}of(e,n,s){
let{length:i,first:a,last:c}=this.aligned(n,s),o=[];for(let r=Math.max(0,a);r<=c;r++){let d={rec:this.rec||void 0,
rank:e.rank,thread:e.thread||void 0,world:e.world||void 0,t0:r*i,t1:(r+1)*i,max:nn},u=JSON.stringify(d),h=this.
pieces.get(u);h?.lane?o.push(h.lane):h||this.ask(u,d)}return sn(o)}ask(e,n){let s={};if(this.pieces.set(e,s),O(
"lanes",n).then(i=>s.lane=i,()=>s.failed=!0).finally(()=>this.changed()),this.pieces.size>600)for(let i of[...this.
pieces.keys()].slice(0,200))this.pieces.delete(i)}arrows(e,n){let{length:s,first:i,last:a}=this.aligned(e,n),c=[];
for(let o=Math.max(0,i);o<=a;o++){let r={rec:this.rec||void 0,t0:o*s,t1:(o+1)*s,max:2e3},d=JSON.stringify(r),u=this.
arrowPieces.get(d);if(u?.arrows&&c.push(u.arrows),u)continue;let h={};if(this.arrowPieces.set(d,h),O("arrows",
r).then(l=>h.arrows=l,()=>h.failed=!0).finally(()=>this.changed()),this.arrowPieces.size>60)for(let l of[...this.
arrowPieces.keys()].slice(0,20))this.arrowPieces.delete(l)}return c}};function sn(t){let e=t[0];if(!e||t.length<
2)return t;let n=new Map,s=new Map,i=new Map,a=[],c=(o,r,d)=>{let u=o.get(r);o.set(r,u?{...u,start_ns:Math.min(
u.start_ns,d.start_ns),end_ns:Math.max(u.end_ns,d.end_ns)}:d)};for(let o of t){if(!o.calls?.length&&o.total>0)
return[];for(let r of o.calls??[])n.set(r.index,{...r,site:r.site<0?-1:r.site+a.length});for(let r of o.loops??
[])c(s,`${r.level} ${r.iteration} ${r.name}`,r);for(let r of o.regions??[])c(i,`${r.level} ${r.start_ns} ${r.name}`,
r);a.push(...o.sites??[])}return[{...e,to_ns:t.at(-1)?.to_ns??e.to_ns,total:n.size,calls:[...n.values()],loops:[
...s.values()],regions:[...i.values()],sites:a}]}var on=new Map(U.map((t,e)=>[t.key,e]));function Ke(t,e,n,s,i,a){
if(i<24)return;t.fillStyle=a;let c=Math.floor((i-6)/6.1);c<3||(e=te(e),t.fillText(e.length>c?e.slice(0,c-1)+"\u2026":
e,n+3,s))}function rn(t){return((t>>16)*299+(t>>8&255)*587+(t&255)*114)/1e3>140}function an(t,e){if(!t)return!0;
let n=!0;for(let s of t.split(",").map(i=>i.trim().toLowerCase())){let i=s.startsWith("mpi_")||s.includes("*"),
a=s.split("*").map(c=>c.replace(/[^\w]/g,"\\$&")).join(".*");if(i&&new RegExp(`^${a}$`).test(e.toLowerCase()))
return!0;n&&=i}return n?!1:void 0}function ut(t,e,n,s){let{y:i,height:a,x:c,left:o,right:r,chosen:d}=n,u=e.calls??
[];if(!u.length&&e.total>0)return!1;let h=e.loops??[],l=a>=26?Math.min(3,h.reduce((v,w)=>Math.max(v,w.level+1),
0)):0,f=a>=26?(e.regions??[]).filter(v=>v.level<1):[],b=l+(f.length?1:0)>0?Math.min(13,Math.floor(a*.5/(l+(f.length?
1:0)))):0,y=i;t.font="10px ui-monospace, DejaVu Sans Mono, monospace",t.textBaseline="middle",t.textAlign="lef\
t";for(let v of f){let w=Math.max(o,c(v.start_ns)),_=Math.min(r,c(v.end_ns))-w;if(_<=0)continue;t.fillStyle=Y()?
"#2f5d50":"#bfe3d6",t.fillRect(w,y,_,b-1);let p=v.times>1?`${v.name||"regions"} (${v.times} times)`:v.name;b>=
10&&Ke(t,p,w,y+b/2,_,Y()?"#e8ecf1":"#1f2933"),s.push({x:w,width:_,y,height:b,line:e,region:p})}f.length&&(y+=b);
for(let v of h){if(v.level>=l)continue;let w=Math.max(o,c(v.start_ns)),_=Math.min(r,c(v.end_ns))-w;if(_<=0)continue;
let p=y+v.level*b;t.fillStyle=Y()?v.iteration%2?"#3d4a63":"#4b5a78":v.iteration%2?"#c9d6ea":"#dbe4f2",t.fillRect(
w,p,Math.max(.6,_-1),b-1);let D=(v.iteration===v.last_iteration?`${v.iteration}`:`${v.iteration}-${v.last_iteration}`)+
(v.step?" step":"")+"  "+v.name;b>=10&&Ke(t,D,w,p+b/2,_,Y()?"#e8ecf1":"#1f2933"),s.push({x:w,width:_,y:p,height:b,
line:e,loop:v})}y+=l*b;let g=i+a-y,x=Math.max(o,c(e.from_ns)),$=Math.min(r,c(e.to_ns));if(u.length&&$>x){let v=Math.
max(o,c(u[0]?.start_ns??e.from_ns)),w=Math.min(r,c(u.at(-1)?.end_ns??e.to_ns));t.fillStyle=ie(V(0)),t.fillRect(
v,y,w-v,g)}for(let v of u){let w=Math.max(o,c(v.start_ns)),_=Math.min(r,c(v.end_ns));if(_<o||w>r)continue;let p=an(
n.functions,v.func)===!1?U.length-1:on.get(v.category)??6,P=V(p),D=Math.max(.7,_-w),me=v.nested?g*.3:0;if(t.fillStyle=
ie(P),t.fillRect(w,y+me,D>3?D-.7:D,g-me),v.unfinished){t.fillStyle=Y()?"#ffffff":"#000000";for(let oe=w;oe<_;oe+=
8)t.fillRect(oe,y+g-3,4,2)}v.index===d&&(t.strokeStyle=Y()?"#ffffff":"#000000",t.lineWidth=2,t.strokeRect(w-1,
y-1,D+2,g+2)),g>=10&&Ke(t,v.func.replace(/^P?MPIX?_/,""),w,y+g/2,D,rn(P)?"#111820":"#ffffff"),s.push({x:w,width:D,
y,height:g,line:e,call:v,site:v.site<0?void 0:e.sites?.[v.site]})}return!0}var ln=Float32Array.from({length:256},(t,e)=>Math.pow(e/255,2.2)),Fe=Uint8Array.from({length:4096},(t,e)=>Math.
round(255*Math.pow(e/4095,1/2.2))),ht=256,_e=class{constructor(e,n,s){this.rec=e;this.grid=n;this.changed=s}rec;grid;changed;tiles=new Map;asking=0;queue=new Map;clock=0;generation=new AbortController;drop(){
this.queue.clear()}get busy(){return this.asking>0||this.queue.size>0}address(e,n){return e.path??Ee("tiles",{
...n.params,rec:this.rec||void 0,level:e.level,x:e.x,first:e.first,group:e.group,rows:e.rows})}tile(e,n,s=!0){
let i=e.path??`${e.level}.${e.x}.${e.first}.${e.group}.${e.rows}${n.key}`,a=this.tiles.get(i);if(a)return a.used=
++this.clock,a.head||a.error?a:void 0;s&&!this.queue.has(i)&&(this.queue.set(i,this.address(e,n)),queueMicrotask(
()=>this.next()))}next(){for(;this.asking<4;){let[e]=this.queue;if(!e)return;this.queue.delete(e[0]),this.tiles.
has(e[0])||this.fetch(...e)}}async fetch(e,n){let s={pixels:new Map,used:++this.clock};this.tiles.set(e,s),this.
asking++;try{let i=await Ge(n,{signal:this.generation.signal}),a=new DataView(i).getUint32(0,!0);s.head=JSON.parse(
new TextDecoder().decode(new Uint8Array(i,4,a))),s.cells=new Uint8Array(i,4+a),!s.head.exact&&s.head.pending>0&&
!q&&setTimeout(()=>{this.tiles.delete(e),this.changed()},700)}catch(i){s.error=i instanceof Error?i.message:String(
i)}this.asking--,this.trim(),this.changed(),this.next()}trim(){if(this.tiles.size<=ht)return;let e=[...this.tiles].
filter(([,n])=>n.head||n.error).sort((n,s)=>n[1].used-s[1].used);for(let[n]of e.slice(0,this.tiles.size-ht))this.
tiles.delete(n)}coarser(e,n){for(let s=1;e.level+s<=this.grid.level;s++){let i={...e,level:e.level+s,x:Math.floor(
e.x/2**s)},a=this.tile(i,n,!1);if(a?.head)return{tile:a,place:i}}}};function $e(t,e,n){if(!t.head||!t.cells)return;
let s=e+(Y()?"/dark":""),i=t.pixels.get(s);if(i||!n())return i;let{bins:a,rows:c}=t.head,o=t.head.categories.length,
r=document.createElement("canvas");r.width=a,r.height=Math.max(1,c.length);let d=r.getContext("2d");if(!d)return;
let u=d.createImageData(a,Math.max(1,c.length)),h=t.head.categories.map(l=>U.findIndex(f=>f.key===l));return e===
"activity"?cn(t.cells,u.data,o,h.map(l=>ke(V(l)))):dn(t.cells,u.data,o,t.head.categories.map(l=>e==="mpi"?l!==
"computation":l===e)),d.putImageData(u,0,0),t.pixels.set(s,r),r}function cn(t,e,n,s){let i=s.map(a=>a.map(c=>ln[c]??
0));for(let a=0,c=0;c<e.length;a+=n,c+=4){let o=0,r=0,d=0,u=0;for(let h=0;h<n;h++){let l=t[a+h]??0;if(!l)continue;
let f=i[h];f&&(o+=l*(f[0]??0),r+=l*(f[1]??0),d+=l*(f[2]??0),u+=l)}u&&(e[c]=Fe[Math.round(o/u*4095)]??0,e[c+1]=
Fe[Math.round(r/u*4095)]??0,e[c+2]=Fe[Math.round(d/u*4095)]??0,e[c+3]=Math.min(255,u+2))}}function dn(t,e,n,s){
for(let i=0,a=0;a<e.length;i+=n,a+=4){let c=0,o=0;for(let d=0;d<n;d++){let u=t[i+d]??0;o+=u,s[d]&&(c+=u)}if(!o)
continue;let r=3*Math.min(255,Math.round(255*c/o));e[a]=K[r]??0,e[a+1]=K[r+1]??0,e[a+2]=K[r+2]??0,e[a+3]=255}}
function Ie(t){return t.first.map(e=>{let n=new URLSearchParams(e.replace(/^.*\?/,"")),s=i=>Number(n.get(i)??0);
return{level:s("level"),x:s("x"),first:s("first"),group:s("group")||1,rows:s("rows"),path:e}})}var mn={ns:1,us:1e3,\u00B5s:1e3,ms:1e6,s:1e9,m:6e10,h:36e11};function Se(t,e,n){let s=t.trim();if(s.endsWith("\
%"))return e+(n-e)*Number(s.slice(0,-1))/100;if(s!==""&&Number.isFinite(Number(s)))return Number(s)*1e9;let i=0,
a=s;for(;a;){let c=/^([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/.exec(a);if(!c)return;i+=Number(c[1])*(mn[c[2]??""]??NaN),
a=a.slice(c[0].length)}return s?i:void 0}function be(t,e,n){if(!t)return;if(t.includes("..")){let[c="",o=""]=t.
split(".."),r=c.trim()?Se(c,e,n):e,d=o.trim()?Se(o,e,n):n;return r===void 0||d===void 0?void 0:[r,d]}let s=t.search(
/(?<![eE])\+/);if(s<1)return;let i=Se(t.slice(0,s),e,n),a=Se(t.slice(s+1),0,n-e);return i===void 0||a===void 0?
void 0:[i,i+a]}function le(t,e){let n=/^\s*(\d*)\s*(-|\.\.)?\s*(\d*)\s*$/.exec(t??"");if(!t||!n)return;let s=n[1]?
Number(n[1]):0;return[s,n[3]?Number(n[3]):n[2]?e-1:s]}function ft(t,e){return`${Math.max(0,Math.floor(t))}ns..${Math.
ceil(e)}ns`}var A=78,E=34,un=44,ce=4096,fe=class{constructor(e){this.o=e;this.grid=e.overview.grid,this.own=e.own??(n=>n),
this.shared=e.shared??(n=>n),this.tiles=new _e(e.rec,this.grid,()=>this.draw()),this.lanes=new Me(e.rec,()=>this.
draw()),this.element=m("div",{class:"map"},this.canvas,this.tip,this.note),this.canvas.setAttribute("aria-labe\
l",`Time from left to right, ${F(this.grid.lines,"line")} from top to bottom. The arrow keys move, plus and mi\
nus zoom. The table Ranks has the same as text.`),new ResizeObserver(()=>this.resize()).observe(this.element),
e.store.listen((n,s)=>{n.view!==s.view&&this.tiles.drop(),this.draw()}),this.listen()}o;element;canvas=m("canv\
as",{tabindex:0,role:"img"});tip=m("div",{class:"tip",hidden:!0});note=m("div",{class:"mapnote","aria-live":"p\
olite"});tiles;lanes;grid;width=0;height=0;waiting=!1;lines=new Map;linesOrder="";steps;drawn=[];heads=[];drag;pointer;own;shared;seen=new Set;markers=[];messages=!0;frames=[];firstPicture;setSteps(e){
this.steps=e,this.draw()}get view(){let e=this.o.store.now.view;return e?[this.own(e[0]),this.own(e[1]),e[2],e[3]]:
[this.grid.from_ns,this.grid.to_ns,0,this.grid.lines]}look(e,n,s,i,a=!0){let c=this.grid,o=Math.max(200,Math.min(
n-e,(c.to_ns-c.from_ns)*1.02)),r=(e+n)/2;e=Math.max(c.from_ns-.01*(c.to_ns-c.from_ns),Math.min(r-o/2,c.to_ns*1.01-
o)),i=Math.max(1,Math.min(c.lines,i)),s=Math.max(0,Math.min(c.lines-i,s));let d=e<=c.from_ns&&e+o>=c.to_ns&&i===
c.lines;this.o.store.set({view:d?void 0:[this.shared(e),this.shared(e+o),s,i]},a)}zoom(e,n=this.pointer?.x??A+
this.plot/2){let[s,i,a,c]=this.view,o=this.timeAt(Math.max(A,n));this.look(o-(o-s)*e,o+(i-o)*e,a,c)}pan(e){let[
n,s,i,a]=this.view;this.look(n+e*(s-n),s+e*(s-n),i,a)}scroll(e){let[n,s,i,a]=this.view,c=Math.sign(e)*Math.max(
1,Math.round(Math.abs(e)*a));this.look(n,s,i+c,a)}zoomLines(e,n=this.pointer?.y??E+(this.height-E)/2){let[s,i,
a,c]=this.view,o=Math.max(1,Math.round(e>1?Math.max(c+1,c*e):Math.min(c-1,c*e))),r=this.lineAt(n);this.look(s,
i,Math.round(r-(r-a)*(o/c)),o)}get plot(){return Math.max(1,this.width-A)}get row(){return Math.min(un,(this.height-
E)/this.view[3])}x=e=>{let[n,s]=this.view;return A+(e-n)/(s-n)*this.plot};timeAt(e){let[n,s]=this.view;return n+
(e-A)/this.plot*(s-n)}lineAt(e){return this.view[2]+(e-E)/this.row}resize(){let e=this.element.getBoundingClientRect(),
n=devicePixelRatio||1;this.width=Math.max(200,e.width),this.height=Math.max(60,e.height),this.canvas.width=Math.
round(this.width*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.width=this.width+"px",this.
canvas.style.height=this.height+"px",this.draw()}draw(){this.waiting||!this.width||(this.waiting=!0,requestAnimationFrame(
()=>{this.waiting=!1;let e=performance.now();this.paint(),this.frames.push(performance.now()-e),this.heads.length&&
(this.firstPicture??=performance.now()),this.frames.length>500&&this.frames.splice(0,250)}))}filtered;get filter(){
let e=this.o.store.now,{selection:n,order:s}=e;if(this.filtered?.of.selection!==n||this.filtered.of.order!==s){
let i={function:n.function,comm:n.comm,in:n.in,order:s==="rank"?void 0:s};this.filtered={of:e,filter:{params:i,
key:JSON.stringify(i)}}}return this.filtered.filter}paint(){let e=this.canvas.getContext("2d");if(!e)return;let n=devicePixelRatio||
1;e.setTransform(n,0,0,n,0,0),e.fillStyle=C("paper"),e.fillRect(0,0,this.width,this.height);let s=this.o.store.
now;e.save(),e.beginPath(),e.rect(A,E,this.plot,this.height-E),e.clip(),this.drawn=[],this.heads=[];let i=this.
paintTiles(e,s),a=this.paintLanes(e,s);this.paintSelection(e,s.selection),a&&this.messages&&this.paintArrows(e),
e.restore(),this.paintAxis(e),this.paintNames(e),this.paintMarkers(e),this.drag&&!this.drag.pan&&this.paintDrag(
e),this.annotate(i)}annotate(e){let n=this.heads.reduce((o,r)=>Math.max(o,r.head.exact?0:r.head.blur_ns),0),[s,
i]=[0,0];for(let{head:o}of this.heads)for(let r of o.rows)s+=r.read,i+=r.threads;let a=this.failure;this.element.
dataset.state=e||this.tiles.busy?"loading":"ready";let c=a??(s<i?`not exact yet: ${H(s/i)} is read`:n?`not exa\
ct: means over stretches of ${k(n)}`:"");this.note.textContent!==te(c)&&T(this.note,c)}failure;paintTiles(e,n){
let[s,i,a,c]=this.view,o=(i-s)/this.plot,r=Math.max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*o)))),d=1;
for(;d*2*this.row<=2.01;)d*=2;let u=[];if(q){let w=Ie(this.grid),_=[...new Set(w.map(p=>p.level))].sort((p,P)=>P-
p);r=_.find(p=>p<=r)??_.at(-1)??r,u=w.filter(p=>p.level===r)}else{let w=64*d,_=256*2**r;for(let p=Math.floor(a/
w)*w;p<Math.min(a+c,this.grid.lines);p+=w)for(let P=Math.max(0,Math.floor(s/_));P*_<Math.min(i,this.grid.to_ns);P++)
u.push({level:r,x:P,first:p,group:d,rows:Math.min(64,Math.ceil((this.grid.lines-p)/d))})}let h=this.filter,l=performance.
now()+3,f=()=>performance.now()<l||(b=!0,this.draw(),!1),b=!1;this.failure=void 0,e.imageSmoothingEnabled=!1;let[
y]=Ie(this.grid),g=y&&{...y,path:void 0},x=q||!g?void 0:{place:g,tile:this.tiles.tile(g,h)},$=!x||x.tile!==void 0,
v=u.map(w=>this.tiles.tile(w,h,$));if(x?.tile&&v.some(w=>!w?.head)){let w=$e(x.tile,n.color,f);w&&x.tile.head&&
(this.see(x.tile.head,x.place),this.paintTile(e,w,x.place,x.place))}for(let[w,_]of u.entries()){let p=v[w];p?.
error&&(this.failure=p.error),p||(b=!0);let P=p&&$e(p,n.color,f);if(P&&p?.head){this.see(p.head,_),this.paintTile(
e,P,_,_);continue}let D=this.tiles.coarser(_,h);P=D&&$e(D.tile,n.color,f),D&&P&&this.paintTile(e,P,D.place,_)}
if(this.row>=5){e.fillStyle=C("paper");for(let w=Math.ceil(a+1e-9);w<=Math.min(a+c,this.grid.lines);w++)e.fillRect(
A,Math.round(E+(w-a)*this.row)-1,this.plot,1)}return b}see(e,n){this.heads.push({head:e,place:n});let s=this.seen.
size;for(let i of e.rows)i.sum_ns.forEach((a,c)=>a>0&&this.seen.add(e.categories[c]??""));this.seen.size>s&&this.
element.dispatchEvent(new Event("seen"))}paintTile(e,n,s,i){let a=2**(s.level-i.level),c=256/a,o=256*2**i.level,
r=this.x(i.x*o),d=E+(s.first-this.view[2])*this.row,u=n.height;e.drawImage(n,(i.x-s.x*a)*c,0,c,u,r,d,this.x((i.
x+1)*o)-r,u*s.group*this.row)}get rate(){return this.o.overview.calls/this.grid.lines/Math.max(1,this.grid.to_ns-
this.grid.from_ns)}near(e){let{from_ns:n,to_ns:s}=this.grid,i=Math.min((s-n)/2,30/this.rate);this.look((n+s)/2-
i,(n+s)/2+i,0,e)}paintLanes(e,n){let[s,i,a,c]=this.view;if(this.row<12||!this.o.overview.timed||q||n.color!=="\
activity"||this.rate*(i-s)>1500)return!1;let o=!1;for(let r=Math.floor(a);r<Math.min(Math.ceil(a+c),this.grid.
lines);r++){let d=this.line(r);if(!d)continue;let u=E+(r-a)*this.row,h=n.call,l={y:u,height:this.row-1,x:this.
x,left:A,right:this.width,functions:n.selection.function,chosen:h&&h[0]===d.world&&h[1]===d.rank&&h[2]===d.thread?
h[3]:void 0};for(let f of this.lanes.of(d,s,i))o=ut(e,f,l,this.drawn)||o}return o}paintArrows(e){let[n,s,i,a]=this.
view,c=new Map;for(let o=Math.floor(i);o<i+a;o++){let r=this.line(o);r&&r.thread===0&&c.set(r.rank,E+(o-i+.5)*
this.row)}mt(e,this.lanes.arrows(n,s),this.x,c,[A,this.width])}paintSelection(e,n){let{from_ns:s,to_ns:i,lines:a}=this.
grid,[,,c,o]=this.view,r=C("veil"),d=be(n.time,s,i),u=this.steps&&le(n.steps,this.steps.total),h=A,l=this.width;
if(d&&([h,l]=[this.x(this.own(d[0])),this.x(this.own(d[1]))]),u&&this.steps){let g=Math.min(this.steps.begin_ns.
length-1,Math.floor(u[0]/this.steps.stride)),x=Math.min(this.steps.begin_ns.length-1,Math.floor(u[1]/this.steps.
stride));h=Math.max(h,this.x(this.steps.begin_ns[g]??s)),l=Math.min(l,this.x((this.steps.begin_ns[x]??i)+(this.
steps.length_ns[x]??0)))}if(e.fillStyle=r,h>A&&e.fillRect(A,E,h-A,this.height),l<this.width&&e.fillRect(l,E,this.
width-l,this.height),(d||u)&&(e.fillStyle=C("accent"),e.fillRect(h-1,E,2,this.height),e.fillRect(l-1,E,2,this.
height)),!n.rank)return;e.fillStyle=r;let f=Math.max(A,h),b=Math.min(this.width,l)-f,y=Math.max(1,Math.floor(1/
this.row));for(let g=Math.floor(c);g<Math.min(a,c+o);g+=y){let x=this.line(g);x&&!ye(n.rank,x.rank)&&e.fillRect(
f,E+(g-c)*this.row,b,Math.max(1,y*this.row))}}paintAxis(e){let[n,s]=this.view;e.fillStyle=C("faint"),e.strokeStyle=
C("rule"),e.lineWidth=1,e.font="11px system-ui, DejaVu Sans, sans-serif",e.textBaseline="alphabetic";let i=(s-
n)/this.plot*110,a=10**Math.floor(Math.log10(i)),c=[1,2,5,10].map(o=>o*a).find(o=>o>=i)??i;for(let o=Math.ceil(
n/c)*c;o<=s;o+=c){let r=Math.round(this.x(o))+.5;if(r<A)continue;e.beginPath(),e.moveTo(r,14),e.lineTo(r,18),e.
stroke();let d=Oe(o,c*10);r+e.measureText(d).width/2<this.width&&(e.textAlign="center",e.fillText(d,Math.max(r,
A+e.measureText(d).width/2),11))}this.paintSteps(e),e.beginPath(),e.moveTo(A,E-.5),e.lineTo(this.width,E-.5),e.
stroke()}paintSteps(e){let n=this.steps;if(e.textAlign="left",e.fillText(n?.begin_ns.length?"step":"",4,29),!n)
return;let s=-1/0,i=-1/0,a=new Set((n.slow??[]).map(c=>Math.floor(c.step/n.stride)));for(let c=0;c<n.begin_ns.
length;c++){let o=Math.round(this.x(n.begin_ns[c]??0))+.5;if(o<A||o>this.width||o-s<4&&!a.has(c))continue;s=o,
e.strokeStyle=a.has(c)?C("bad"):C("rule"),e.beginPath(),e.moveTo(o,20),e.lineTo(o,E),e.stroke();let r=String(c*
n.stride),d=e.measureText(r).width+8;o>i&&o+d<this.width&&(e.fillText(r,o+2,29),i=o+Math.max(d,26))}}paintNames(e){
let[,,n,s]=this.view,i=Math.max(1,Math.ceil(13/this.row));e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign=
"right",e.textBaseline="middle";let a=this.o.store.now.selection.rank;for(let c=Math.ceil(n/i)*i;c<Math.min(this.
grid.lines,n+s);c+=i){let o=this.line(c);if(!o)continue;let r=E+(c-n+.5)*this.row;r>this.height-4||r<E+2||(e.fillStyle=
a&&ye(a,o.rank)?C("accent"):C("ink"),e.fillText(pt(o,i===1||c===0),A-6,Math.max(r,E+6)))}}paintMarkers(e){for(let n of this.
markers){let s=this.yOfRank(n.rank),i=this.x(n.at);s===void 0||i<A||i>this.width||(e.fillStyle=C("bad"),e.strokeStyle=
C("paper"),e.beginPath(),e.moveTo(i,s),e.lineTo(i-5,s-9),e.lineTo(i+5,s-9),e.closePath(),e.fill(),e.stroke())}}paintDrag(e){
let n=this.drag;if(!n)return;e.strokeStyle=C("accent"),e.fillStyle=C("select");let s=Math.min(n.x,n.x1),i=Math.
min(n.y,n.y1),a=[s,this.grid.lines>1?i:E,Math.abs(n.x1-n.x),this.grid.lines>1?Math.abs(n.y1-n.y):this.height];
e.fillRect(...a),e.strokeRect(...a)}line(e){let n=this.o.store.now.order;n!==this.linesOrder&&(this.linesOrder=
n,this.lines=new Map);let s=Math.floor(e/ce)*ce,i=this.lines,a=i.get(s);if(a===void 0&&(i.set(s,null),O("lines",
{rec:this.o.rec||void 0,order:n==="rank"?void 0:n,first:s,count:ce}).then(c=>{i.set(s,c),this.draw()},()=>{})),
a)return a.lines[e-s];for(let{head:c,place:o}of this.heads){if(o.group!==1)continue;let r=c.rows[e-o.first];if(r)
return{rank:r.rank,world:r.world,thread:r.thread,host:"",class:0,calls:0}}}yOfRank(e){let[,,n,s]=this.view;for(let i=Math.
floor(n);i<n+s;i++){let a=this.line(i);if(a?.rank===e&&a.thread===0)return E+(i-n+.5)*this.row}}hit(e,n){let s;
for(let i of this.drawn)n<i.y||n>i.y+i.height||e<i.x-1||e>i.x+Math.max(i.width,2)||(!s||i.width<=s.width)&&(s=
i);return s}listen(){let e=this.canvas;e.addEventListener("pointerdown",n=>{n.button>1||(e.setPointerCapture(n.
pointerId),this.drag={x:n.offsetX,y:n.offsetY,x1:n.offsetX,y1:n.offsetY,pan:n.shiftKey||n.button===1},this.tip.
hidden=!0)}),e.addEventListener("pointermove",n=>{this.pointer={x:n.offsetX,y:n.offsetY};let s=this.drag;if(!s)
return this.point();if(s.pan){let[i,a,c,o]=this.view,r=(s.x1-n.offsetX)/this.plot*(a-i);this.look(i+r,a+r,c+Math.
round((s.y1-n.offsetY)/this.row),o)}s.x1=n.offsetX,s.y1=n.offsetY,this.draw()}),e.addEventListener("pointerup",
n=>{let s=this.drag;this.drag=void 0,s&&!s.pan&&this.released(s,n.ctrlKey||n.metaKey),this.draw()}),e.addEventListener(
"pointercancel",()=>this.drag=void 0),e.addEventListener("pointerleave",()=>{this.pointer=void 0,this.tip.hidden=
!0}),e.addEventListener("dblclick",()=>this.fit()),e.addEventListener("wheel",n=>{n.preventDefault();let s=n.deltaMode?
n.deltaY*20:n.deltaY;Math.abs(n.deltaX)>Math.abs(n.deltaY)?this.pan(n.deltaX/1e3):n.shiftKey?this.pan(s/1e3):n.
altKey?this.zoomLines(Math.exp(s/400),n.offsetY):this.zoom(Math.exp(s/400),n.offsetX)},{passive:!1})}fit(){let e=this.
o.store.now.selection,{from_ns:n,to_ns:s}=this.grid,i=be(e.time,n,s),a=this.steps&&le(e.steps,this.steps.total);
if(a&&this.steps){let d=Math.floor(a[0]/this.steps.stride),u=Math.min(this.steps.begin_ns.length-1,Math.floor(
a[1]/this.steps.stride));i??=[this.steps.begin_ns[d]??n,(this.steps.begin_ns[u]??s)+(this.steps.length_ns[u]??
0)]}let[c,o]=i??[n,s],r=i?(o-c)*.03:0;this.look(c-r,o+r,this.view[2],this.view[3],!1)}async released(e,n){let s=this.
o.store;if(Math.abs(e.x1-e.x)<4&&Math.abs(e.y1-e.y)<4){let r=this.markers.find(l=>Math.abs(this.x(l.at)-e.x)<6&&
Math.abs((this.yOfRank(l.rank)??-99)-5-e.y)<9);if(r)return r.choose();let d=this.line(Math.floor(this.lineAt(e.
y))),u=this.hit(e.x,e.y);if(u?.call){let l=u.line;return s.set({call:[l.world,l.rank,l.thread,u.call.index],panel:"\
call"})}if(u?.loop?.step&&u.loop.iteration===u.loop.last_iteration)return s.select({steps:String(u.loop.iteration),
time:""});if(!d||e.y<E)return;let h=s.now.selection.rank;return n&&h?s.select({rank:ye(h,d.rank)?ve(this.ranksIn(
h).filter(l=>l!==d.rank)):ve([...this.ranksIn(h),d.rank])}):s.select({rank:h===String(d.rank)?"":String(d.rank)})}
let i=ft(this.shared(this.timeAt(Math.max(A,Math.min(e.x,e.x1)))),this.shared(this.timeAt(Math.max(e.x,e.x1)))),
a=Math.max(0,Math.floor(this.lineAt(Math.min(e.y,e.y1)))),c=Math.min(this.grid.lines-1,Math.floor(this.lineAt(
Math.max(e.y,e.y1)))),o=a<=0&&c>=this.grid.lines-1||Math.abs(e.y1-e.y)<4||e.y<E;s.select({time:i,steps:"",rank:o?
s.now.selection.rank??"":await this.ranksOf(a,c)})}ranksIn(e){return e.split(",").flatMap(n=>{let[s=0,i=s]=n.split(
"-").map(Number);return Array.from({length:i-s+1},(a,c)=>s+c)})}async ranksOf(e,n){let s=this.o.store.now.order,
i=[];for(let a=Math.floor(e/ce)*ce;a<=n;a+=ce)(await O("lines",{rec:this.o.rec||void 0,order:s==="rank"?void 0:
s,first:a,count:ce})).lines.forEach((o,r)=>{a+r>=e&&a+r<=n&&o.rank>=0&&i.push(o.rank)});return ve(i)}point(){let e=this.
pointer;if(!e||e.x<A||e.y<E){this.tip.hidden=!0;return}let n=this.timeAt(e.x),s=Math.floor(this.lineAt(e.y)),[
i,a]=this.view,c=this.hit(e.x,e.y),o=[],r=this.line(s);if(c?.call)o.push(...hn(c.call,c.site));else if(c?.loop){
let l=c.loop;o.push(m("b",{},`${l.step?"step":"iteration"} ${l.iteration}${l.last_iteration>l.iteration?"-"+l.
last_iteration:""} of ${l.of}`),m("div",{},l.name),m("div",{},k(l.end_ns-l.start_ns)))}else c?.region?o.push(m(
"b",{},"region "+c.region)):o.push(...this.aboutCell(s,n));let d=this.markers.find(l=>Math.abs(this.x(l.at)-e.
x)<6&&Math.abs((this.yOfRank(l.rank)??-99)-5-e.y)<9);if(d&&o.unshift(m("b",{class:"bad"},d.text)),!o.length){this.
tip.hidden=!0;return}T(this.tip,m("div",{class:"where"},`${r?pt(r,!0):""}  at ${Oe(n,a-i)}`),...o),this.tip.hidden=
!1;let u=this.tip.offsetWidth,h=this.tip.offsetHeight;this.tip.style.left=(e.x+16+u>this.width?Math.max(0,e.x-
u-12):e.x+16)+"px",this.tip.style.top=Math.max(0,Math.min(e.y+14,this.height-h-4))+"px"}aboutCell(e,n){for(let{
head:s,place:i}of this.heads){let a=Math.floor((e-i.first)/i.group),c=Math.floor(n/2**i.level)-i.x*256,o=s.rows[a];
if(!o||c<0||c>255||e<i.first)continue;let r=this.tiles.tile(i,this.filter,!1)?.cells;if(!r)continue;let d=s.categories.
length,u=s.categories.map((l,f)=>[r[(a*256+c)*d+f]??0,l]).filter(([l])=>l>0).sort((l,f)=>f[0]-l[0]),h=o.threads>
1?m("div",{},`mean of ${F(o.threads,"thread")}: ranks ${o.rank} to ${o.last_rank}`):null;return o.read===0?[m(
"div",{},"not read yet")]:[...h?[h]:[],m("div",{},`mean of ${k(2**i.level)}`),...u.length?u.map(([l,f])=>m("di\
v",{},`${H(l/255)} ${U.find(b=>b.key===f)?.name??f}`)):[m("div",{},"nothing is known")]]}return[]}callsDrawn(){
let e=this.canvas.getBoundingClientRect();return this.drawn.flatMap(n=>n.call?[{x:e.x+n.x+n.width/2,y:e.y+n.y+
n.height/2,width:n.width,func:n.call.func,index:n.call.index,rank:n.line.rank}]:[])}};function pt(t,e){let n=(t.
world?`w${t.world}:`:"")+(t.rank<0?"?":t.rank)+(t.thread?"."+t.thread:"");return e&&!t.world&&!t.thread?"rank "+
n:n}function hn(t,e){return[m("b",{},t.func),m("div",{},`${k(t.end_ns-t.start_ns)}${t.unfinished?", did not re\
turn":""}, call ${t.index}`),...e?[m("div",{class:"site"},e)]:[]]}function Te(t){return t===null?"not known or not significant":Array.isArray(t)?"["+t.map(Te).join(", ")+"]":typeof t==
"object"?"{"+Object.entries(t).map(([e,n])=>`${e}: ${Te(n)}`).join(", ")+"}":String(t)}var gt={id:"call",title:"\
Call",command:t=>t.call?["dump","--rank",String(t.call[1]),"--from",String(t.call[3]),"--limit","1"]:["dump"],
key:t=>String(t.call),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now.call;if(!i)return[m("p",{class:"empty"},
"Click a call in the map (zoom in until calls are drawn one by one), or choose one in a table.")];let[a,c,o]=i,
r={world:a||void 0,rank:c,thread:o||void 0},d=i[3];d<0&&(d+=(await L("calls",{...r,from:0,limit:1},n,s)).total);
let u=await L("calls",{...r,from:d,limit:1},n,s),h=u.calls[0];if(!h)return[m("p",{class:"empty"},`Rank ${c} ma\
de ${M(u.total)} calls: there is no call ${d}.`)];let l=h.start_ns,f=h.end_ns??l,b=$=>t.store.set({call:[a,c,o,
$]}),y=()=>{if(l===void 0||f===void 0)return;let $=Math.max(f-l,500);t.look(l-$,f+$,c)},g=m("div",{class:"cont\
rols"},m("b",{},h.func),`rank ${a?`w${a}:`:""}${c}${o?", thread "+o:""}, call ${M(h.index)} of ${M(u.total)}`,
m("button",{type:"button",disabled:d<=0,click:()=>b(d-1)},"\u2190 previous"),m("button",{type:"button",disabled:d+
1>=u.total,click:()=>b(d+1)},"next \u2192"),m("button",{type:"button",disabled:l===void 0,click:y},"zoom to it"),
m("button",{type:"button",click:()=>t.store.select({function:h.func})},"select the function")),x=m("dl",{class:"\
call"});return l!==void 0&&f!==void 0&&fn(t,x,c,l,Math.max(f,l+1),h,n),[g,m("div",{class:"columns"},bt([["call",
h.func+(h.flags?.length?` (${h.flags.join(", ")})`:"")],...Object.entries(h.in).map(([$,v])=>[$,Te(v)]),...Object.
entries(h.out).map(([$,v])=>["\u2192 "+$,Te(v)]),["returned",h.error??String(h.ret)]]),bt([["begin",l===void 0?
"not recorded":`${(l/1e9).toFixed(9)} s`],["duration",h.end_ns===void 0?"did not return":k(h.end_ns-(l??0))],[
"call site",Z(h.site?.slice(0,1))||"unknown"],...(h.site??[]).slice(1).map($=>["called from",Z([$])])]),m("div",
{},m("h3",{},"Messages of this call"),x))]})}};function bt(t){return m("dl",{class:"call"},...t.flatMap(([e,n])=>[
m("dt",{},e),m("dd",{},n)]))}async function fn(t,e,n,s,i,a,c){let o=[];try{let r=await L("arrows",{t0:Math.floor(
s),t1:Math.ceil(i),max:5e3},c,()=>{});for(let d of r.arrows??[]){let u=d.from===n&&d.send===a.index,h=d.to===n&&
d.receive===a.index;if(!u&&!h)continue;let l=u?d.to:d.from;if(o.push(m("dt",{},u?"to":"from"),m("dd",{},m("but\
ton",{type:"button",click:()=>t.call(0,l,0,u?d.receive:d.send)},`rank ${l}, call ${M(u?d.receive:d.send)}`),` ${d.
bytes>=0?j(d.bytes):"size unknown"}, tag ${d.tag}`,d.wait_ns>0&&m("span",{class:"bad"},h?`; waited ${k(d.wait_ns)}\
 for rank ${d.from}, which came late`:`; rank ${d.to} waited ${k(d.wait_ns)} for this`))),o.length>40)break}}catch{}
e.replaceChildren(...o.length?o:[m("dd",{},"none are known")])}var pn=[["sizes","sizes of messages"],["durations","durations of calls"]],vt={id:"histogram",title:"Histogram",
command:t=>["histogram",...t.detail==="durations"?["--durations"]:[]],key:t=>J(t)+(t.panel==="histogram"?t.detail:
""),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,a=i.detail==="durations"?"durations":"sizes",c=m("div",{class:"\
controls"},I("show ",pn,a,r=>t.store.set({detail:r==="sizes"?"":r}))),o=[];if(a==="sizes"){let r=await L("hist\
ogram",z(i),n,s);for(let d of r.histograms)d.messages&&o.push(m("div",{},m("h3",{},`${d.kind==="p2p"?"point to\
 point":d.kind}: ${M(d.messages)} messages, ${j(d.bytes)}`),wt(d.bins.map(u=>({label:u.from===u.to?j(u.from):`${j(
u.from)} to ${j(u.to)}`,value:u.messages,text:`${M(u.messages)} messages, ${j(u.bytes)}`})))))}else{let r=await L(
"report",z(i),n,s);for(let d of[...r.calls??[]].sort((u,h)=>h.mpi.sum_ns-u.mpi.sum_ns).slice(0,6))o.push(m("di\
v",{},m("h3",{title:d.site},`${d.func} @ ${d.site.split(" < ")[0]}: median ${k(d.durations.p50_ns)}`),wt(bn(d.
durations.bins??[]).map(u=>({label:`${k(u.from_ns)} to ${k(u.to_ns)}`,value:u.count,text:`${M(u.count)} calls`})))))}
return[c,o.length?m("div",{class:"columns"},...o):m("p",{class:"empty"},"There is nothing of this kind in the \
selection.")]})}};function bn(t){let e=new Map;for(let n of t){let s=Math.floor(Math.log2(Math.max(1,n.from_ns))),
i=e.get(s);i?i.count+=n.count:e.set(s,{from_ns:2**s,to_ns:2**(s+1),count:n.count})}return[...e.values()]}function wt(t){
let e=Math.max(1,...t.map(c=>c.value)),n=150,s=110,i=ue("svg",{width:n+s+170,height:t.length*18+4,role:"list"});
t.forEach((c,o)=>{let r=o*18;i.append(ue("g",{role:"listitem","aria-label":`${c.label}: ${c.text}`},ue("text",
{x:n-6,y:r+13,"text-anchor":"end"},c.label),ue("rect",{class:"value",x:n,y:r+3,width:Math.max(1,c.value/e*s),height:13}),
ue("text",{x:n+c.value/e*s+5,y:r+13},c.text)))});let a=m("div",{class:"chart"});return a.append(i),a}var gn=20,yt={id:"icicle",title:"Icicle",command:()=>["profile","--by","site"],key:t=>J(t)+(t.panel==="icicle"?
t.detail:""),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,a=await L("profile",{...z(i),by:"site"},n,s),c=a.
time_ns!==void 0,o={name:c?"time in calls":"calls",value:0,calls:0,call:!1,children:new Map};for(let y of a.rows){
let g=c?y.times?.total_ns??0:y.calls,x=[...y.site??[]].reverse().map(v=>v.func||(v.file??"?").replace(/^.*\//,
"")+(v.offset?"+0x"+v.offset.toString(16):"")),$=o;$.value+=g,$.calls+=y.calls;for(let v of[...x,y.func??""]){
let w=v===y.func&&v!=="",_=$.children.get(v);_||$.children.set(v,_={name:v,value:0,calls:0,call:w,children:new Map}),
$=_,$.value+=g,$.calls+=y.calls}}if(!o.value)return[m("p",{class:"empty"},"There is nothing of this kind in th\
e selection.")];let r=i.detail?i.detail.split(""):[],d=o;for(let y of r)d=d.children.get(y)??d;let u=m("div",
{class:"icicle",role:"tree","aria-label":"Functions by "+(c?"time":"calls")}),h=Math.max(400,e.clientWidth-40),
l=y=>`${y.name}: ${c?k(y.value):""} ${H(y.value/o.value)}, ${M(y.calls)} calls`,f=0,b=(y,g,x,$)=>{let v=y.value/
d.value*h;if(v<1.5||f++>3e3)return;let w=m("button",{type:"button",role:"treeitem",title:l(y),"aria-label":l(y),
click:()=>{y.call?t.store.select({function:y.name}):t.store.set({detail:(y===d?$.slice(0,-1):$).join("")})}},
v>30?y.name:"");w.style.left=g+"px",w.style.top=x*gn+"px",w.style.width=Math.max(1,v-1)+"px",w.style.background=
y.call?ie(V(3)):ie(V(U.findIndex(p=>p.key==="lifecycle"))),y.call?w.style.color="#111820":w.style.color="inher\
it",u.append(w);let _=g;for(let p of[...y.children.values()].sort((P,D)=>D.value-P.value))b(p,_,x+1,[...$,p.name]),
_+=p.value/d.value*h};return b(d,0,0,r),[m("p",{class:"empty"},`As wide as ${c?"time in calls":"the number of \
calls"} of all selected ranks; orange: calls. A click unfolds, on the uppermost goes back.`),u]})}};var kt={id:"loops",title:"Loops",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.selection.function,
t.selection.step_loop,t.panel==="loops"?t.detail:""]),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,a=await L(
"loops",{rank:i.selection.rank,function:i.selection.function,step_loop:i.selection.step_loop},n,s),c=Math.max(
0,Math.min(a.classes.length-1,Number(i.detail)||0)),o=a.classes[c];if(!o)return[m("p",{class:"empty"},"No call\
s are selected.")];let r=m("div",{},m("p",{class:"empty"},"A loop, or all of a rank, as C: choose \u2018as C\u2019.")),
d=m("div",{class:"tree"},Mt(o.body,o.blocks??[],0,t,u=>{xt(r,o.blocks??[],u)}));return[m("div",{class:"control\
s"},I("ranks that do the same ",a.classes.map((u,h)=>[String(h),`${u.ranks||"?"}${u.thread?", thread "+u.thread:
""} (${M(u.calls)} calls)`]),String(c),u=>t.store.set({detail:u==="0"?"":u})),m("span",{},`${M(a.classes.length)}\
 ${a.classes.length===1?"class":"classes"}`),m("button",{type:"button",click:()=>{xt(r,o.blocks??[])}},"all of\
 it as C")),m("div",{class:"columns"},d,r)]})}};function wn(t){let e=t.site?.[0],n=Z(e?[e]:[]);return e?.last_line&&
e.last_line!==e.line?n.replace(/:(\d+)/,`:$1-${e.last_line}`):n}function Mt(t,e,n,s,i){let a=m("ul",{role:n?"g\
roup":"tree"});for(let c of t){let o=c.body??(c.block!==void 0?e[c.block]:void 0),r=c.min===c.max?M(c.min):`${M(
c.min)} to ${M(c.max)}`,d=m("li",{role:"treeitem"}),u=c.share_of_time!==void 0?H(c.share_of_time)+" of time":H(
c.share_of_calls)+" of calls",h=c.kind==="call"?`${r==="1"?"":r+" \xD7 "}${c.func}`:c.kind==="loop"?`loop, ${r}\
 times`:c.kind==="mixed"?"calls in no regular order":"block",l=(c.params??[]).filter(b=>/^(dest|source|count|sendcount|tag|root|comm)$/.
test(b.name)).map(b=>`${b.name} ${b.relation?"= "+b.relation:b.values.join(", ")+(b.more?", \u2026":"")}`).join(
"; "),f=m("span",{class:"node"+(c.time_step?" step":"")},c.kind==="call"?m("button",{type:"button",class:"text",
click:()=>s.store.select({function:c.func??""})},h):m("span",{},h),c.time_step&&m("span",{class:"bad"},"time s\
tep"),m("span",{class:"count"},u),m("span",{class:"params"},l),m("span",{class:"params",title:Z(c.site)},wn(c)),
c.kind==="loop"&&m("button",{type:"button",click:()=>i(c)},"as C"));if(o?.length&&n<40){let b,y=n<3,g=m("butto\
n",{type:"button",class:"toggle","aria-expanded":y?"true":"false","aria-label":"unfold "+h},y?"\u25BE":"\u25B8"),
x=$=>{g.setAttribute("aria-expanded",String($)),T(g,$?"\u25BE":"\u25B8"),b?.remove(),b=void 0,$&&d.append(b=Mt(
o,e,n+1,s,i))};g.addEventListener("click",()=>x(!b)),d.append(g,f),y&&x(!0)}else d.append(m("span",{class:"tog\
gle"}),f);a.append(d)}return a}function _t(t,e,n=0){if(t.func||n>40)return t.func;for(let s of t.body??(t.block!==
void 0?e[t.block]??[]:[])){let i=_t(s,e,n+1);if(i)return i}}async function xt(t,e,n){T(t,m("p",{class:"pending"},
"writing C \u2026"));try{let s=n?.site?.[0],i=await O("code",{times:n?.max,call:n?_t(n,e):void 0}),a=i.text.split(
`
`),c=a.length>5e3?a.slice(0,5e3).join(`
`)+`
/* ${a.length-5e3} more lines: tabard proxy writes all */`:i.text;T(t,m("h3",{},`${i.title||(s?Z([s]):"")} (${M(
i.lines)} lines)`),m("pre",{class:"code",tabindex:0}));let o=t.querySelector("pre");o&&(o.textContent=c.replace(
/[^\S\n\t ]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,"\uFFFD"));
for(let r of i.notes??[])t.append(m("p",{class:"empty"},r))}catch(s){T(t,m("p",{class:"failed"},ne(s)))}}var de=24;function N(t){if(!t.rows.length)return m("p",{class:"empty"},t.empty??"There is nothing of this kind\
 in the selection.");let e=t.rows,n=t.sort??-1,s=!1,i=Math.max(0,t.chosen?e.findIndex(t.chosen):0),a=m("tbody"),
c=m("tr",{"aria-rowindex":1}),o=m("table",{role:"grid","aria-label":t.label,"aria-rowcount":e.length+1},m("the\
ad",{},c),a),r=m("div",{class:"scroll",tabindex:-1},o);function d(){let g=t.columns[n]?.by;e=g?[...t.rows].sort(
(x,$)=>{let v=g(x),w=g($);return(v<w?-1:v>w?1:0)*(s?1:-1)}):t.rows}function u(){T(c,...t.columns.map((g,x)=>m(
"th",{scope:"col",class:(g.number?"number":"")+(g.wide?" wide":""),title:g.help,"aria-sort":n===x?s?"ascending":
"descending":void 0},g.by?m("button",{type:"button",click:()=>{s=n===x?!s:!g.number,n=x,d(),u(),i=0,l()}},g.title+
(n===x?s?" \u25B4":" \u25BE":"")):g.title)))}function h(g){let x=m("tr",{"aria-hidden":"true"},m("td",{colspan:t.
columns.length,class:"spacer"}));return x.firstChild.style.height=g*de+"px",x}function l(g=!1){let x=Math.max(
0,Math.floor(r.scrollTop/de)-10),$=Math.min(e.length,x+Math.ceil((r.clientHeight||600)/de)+20),v=[];x>0&&v.push(
h(x));for(let w=x;w<$;w++){let _=e[w],p=m("tr",{"aria-rowindex":w+2,tabindex:w===i?0:-1,"data-row":w,"aria-sel\
ected":t.chosen?.(_)?"true":void 0},...t.columns.map(P=>m("td",{class:(P.number?"number":"")+(P.wide?" wide":"")},
P.cell(_))));v.push(p),g&&w===i&&queueMicrotask(()=>p.focus({preventScroll:!0}))}$<e.length&&v.push(h(e.length-
$)),a.replaceChildren(...v)}function f(g){i=Math.max(0,Math.min(e.length-1,g));let x=i*de;x<r.scrollTop?r.scrollTop=
x:x+2*de>r.scrollTop+r.clientHeight&&(r.scrollTop=x+2*de-r.clientHeight),l(!0)}function b(g){let x=e[g];x===void 0||
!t.choose||(i=g,t.choose(x))}o.addEventListener("click",g=>{let x=g.target.closest("tr[data-row]");x&&!g.target.
closest("button, a")&&b(Number(x.dataset.row))}),o.addEventListener("keydown",g=>{if(!g.target.closest("tbody"))
return;let x=Math.max(1,Math.floor(r.clientHeight/de)-2),$={ArrowDown:i+1,ArrowUp:i-1,PageDown:i+x,PageUp:i-x,
Home:0,End:e.length-1}[g.key];if($!==void 0)f($);else if(g.key==="Enter"||g.key===" ")b(i);else return;g.preventDefault(),
g.stopPropagation()});let y=!1;return r.addEventListener("scroll",()=>{y||(y=!0,requestAnimationFrame(()=>{y=!1,
l(a.contains(document.activeElement))}))}),t.choose&&o.classList.add("choosable"),d(),u(),requestAnimationFrame(
()=>l()),l(),r}function B(t,e,n="bar"){let s=m("span",{class:"fill "+n,"aria-hidden":"true"});return s.style.width=
Math.max(0,Math.min(100,t*100))+"%",m("span",{class:"bar"},s,m("span",{class:"value"},e))}var $t=[["p2p","point to point"],["collective","collectives"],["rma","one-sided"],["all","all"]],St=[["bytes",
"bytes"],["messages","messages"]];function Ue(t){let[e="",n=""]=t.split(",");return[$t.some(([s])=>s===e)?e:"p\
2p",St.some(([s])=>s===n)?n:"bytes"]}var Tt={id:"matrix",title:"Matrix",command:t=>["matrix","--kind",Ue(t.detail)[0]],
key:t=>JSON.stringify([t.selection,Ue(t.detail)]),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,[a,c]=Ue(i.detail),
o=await L("matrix",{...z(i),kind:a,bins:64},n,s),r=p=>o.columns.indexOf(p),[d,u,h,l]=[r("from"),r("to"),r("mes\
sages"),r("bytes")],f=o.cells??[],b=o.bins||o.processes,y=o.processes/b,g=p=>o.bins&&y>1?`${Math.ceil(p*y)}-${Math.
ceil((p+1)*y)-1}`:String(p),x=c==="bytes"?l:h,$=p=>c==="bytes"?j(p):c==="messages"?M(p):k(p),v=p=>{let P=[...new Set(
[p[d]??0,p[u]??0])].sort((D,me)=>D-me).map(g).join(",");t.store.select({rank:P})},w=vn(f,b,d,u,x,p=>p?`${g(p[d]??
0)} to ${g(p[u]??0)}: ${M(p[h]??0)} messages, ${j(p[l]??0)}`:"",v,$,Math.max(120,e.clientHeight-96)),_=o.totals[a];
return[m("div",{class:"controls"},I("messages ",$t,a,p=>t.store.set({detail:`${p},${c}`})),I("colour ",St,c,p=>t.
store.set({detail:`${a},${p}`})),_&&m("span",{},`${M(_.messages)} messages, ${j(_.bytes)}`+(_.nowhere?`; ${M(_.
nowhere)} to unknown partners`:"")),o.missing>0&&m("span",{class:"bad"},`${M(o.missing)} ranks are not selecte\
d or not recorded: what they send is not known`)),m("div",{class:"columns"},f.length?w:m("p",{class:"empty"},"\
No such messages in the selection."),m("div",{},N({label:"Messages by pairs of ranks",rows:f,sort:c==="bytes"?
3:2,choose:v,columns:[{title:o.bins&&y>1?"senders":"sender",number:!0,by:p=>p[d]??0,cell:p=>g(p[d]??0)},{title:o.
bins&&y>1?"receivers":"receiver",number:!0,by:p=>p[u]??0,cell:p=>g(p[u]??0)},{title:"messages",number:!0,by:p=>p[h]??
0,cell:p=>M(p[h]??0)},{title:"bytes",number:!0,by:p=>p[l]??0,cell:p=>j(p[l]??0)},{title:"mean size",number:!0,
by:p=>(p[l]??0)/(p[h]||1),cell:p=>j((p[l]??0)/(p[h]||1))}]})))]})}};function vn(t,e,n,s,i,a,c,o,r){let d=Math.
max(e,1),u=m("canvas",{width:d,height:d,role:"img","aria-label":"Senders from top to bottom, receivers from le\
ft to right. The table beside it has the same as text."}),h=Math.max(1,...t.map(w=>w[i]??0)),l=Math.min(...t.map(
w=>w[i]||1/0)),f=u.getContext("2d"),b=new Map;if(f){let w=f.createImageData(d,d);for(let _ of t){let[p,P,D]=[_[n]??
0,_[s]??0,_[i]??0];if(b.set(p*d+P,_),!D)continue;let me=h>l?Math.log(D/l)/Math.log(h/l):1,oe=3*Math.round(255*
Math.max(0,Math.min(1,.06+.94*me)));w.data.set([K[oe]??0,K[oe+1]??0,K[oe+2]??0,255],4*(p*d+P))}f.putImageData(
w,0,0)}let y=m("p",{class:"under","aria-hidden":"true"},"rows send, columns receive"),g=Math.max(1,Math.min(28,
Math.floor(r/d)));u.style.width=g*d+"px",u.style.height=g*d+"px";let x=w=>b.get(Math.floor(w.offsetY/g)*d+Math.
floor(w.offsetX/g));u.addEventListener("pointermove",w=>T(y,a(x(w))||"rows send, columns receive")),u.addEventListener(
"click",w=>{let _=x(w);_&&c(_)});let $=m("canvas",{class:"ramp",width:256,height:1,"aria-hidden":"true"}),v=$.
getContext("2d");if(v){let w=v.createImageData(256,1);for(let _=0;_<256;_++)w.data.set([K[3*_]??0,K[3*_+1]??0,
K[3*_+2]??0,255],4*_);v.putImageData(w,0,0)}return m("div",{class:"narrow"},m("div",{class:"picture"},u),y,m("\
div",{class:"legend"},m("span",{class:"key"},Number.isFinite(l)?o(l):"",$,o(h))))}var Lt={id:"messages",title:"Messages",command:()=>["messages"],key:t=>JSON.stringify(t.selection),show:(t,e)=>{
R(e,async(n,s)=>{let i=t.store.now,[a,c]=t.window(),o=await L("messages",z(i),n,s),r=await L("arrows",{t0:Math.
floor(a),t1:Math.ceil(c),max:1},n,s).catch(()=>null),d=m("div",{},m("h3",{},`${M(o.messages)} messages, ${j(o.
bytes)}; ${M(o.unmatched_sends)} were never received, ${M(o.unmatched_receives)} receives got none`+(o.incomplete.
length?`; ${M(o.incomplete.length)} collectives lack members`:"")),o.unmatched.length?N({label:"Messages witho\
ut a partner",rows:o.unmatched,choose:l=>t.call(0,l.first.process,0,l.first.call),columns:[{title:"what",by:l=>l.
kind,cell:l=>l.kind},{title:"count",number:!0,by:l=>l.count,cell:l=>M(l.count)},{title:"bytes",number:!0,by:l=>l.
bytes,cell:l=>j(l.bytes)},{title:"ranks",cell:l=>l.processes},{title:"peer",number:!0,cell:l=>l.first.peer??"a\
ny"},{title:"tag",number:!0,cell:l=>l.first.tag??"any"},{title:"why",by:l=>l.reason,cell:l=>l.reason},{title:"\
call",wide:!0,cell:l=>`${l.function} @ ${l.site}`}]}):m("p",{class:"empty"},"Every message has a sender and a \
receiver."),o.incomplete.length?N({label:"Collectives that not all members made",rows:o.incomplete,choose:l=>t.
store.select({function:l.function}),columns:[{title:"missing",number:!0,by:l=>l.missing,cell:l=>`${l.missing} \
of ${l.members}`},{title:"came",cell:l=>"ranks "+l.present},{title:"collective",wide:!0,cell:l=>`${l.function}\
 @ ${l.site}`}]}):null),u=m("div",{},m("h3",{},"To whom, as functions of the rank"),N({label:"Partners as func\
tions of the rank",rows:r?.formulas??[],sort:0,empty:"No partner follows from the rank here.",choose:l=>t.store.
select({function:l.func}),columns:[{title:"calls",number:!0,by:l=>l.calls,cell:l=>M(l.calls)},{title:"formula",
by:l=>l.text,cell:l=>m("code",{},l.text)},{title:"ranks",by:l=>l.ranks,cell:l=>l.ranks},{title:"call",wide:!0,
by:l=>l.func,cell:l=>m("span",{title:l.site},`${l.func} @ ${l.site}`)}]})),h=r?.bundles?.length?m("div",{class:"\
narrow"},m("h3",{},"Pairs of ranks"),N({label:"Messages by pairs of ranks",rows:r.bundles,sort:3,choose:l=>t.store.
select({rank:l.from===l.to?String(l.from):[l.from,l.to].sort((f,b)=>f-b).join(",")}),columns:[{title:"from",number:!0,
by:l=>l.from,cell:l=>l.from},{title:"to",number:!0,by:l=>l.to,cell:l=>l.to},{title:"messages",number:!0,by:l=>l.
messages,cell:l=>M(l.messages)},{title:"bytes",number:!0,by:l=>l.bytes,cell:l=>j(l.bytes)}]})):null;return[m("\
div",{class:"columns"},d,u,...h?[h]:[])]})}};var Ct={id:"comms",title:"Communicators",command:()=>["info","--comms"],key:t=>String(t.selection.comm),show:(t,e)=>{
R(e,async(n,s)=>{let i=await L("comms",{},n,s);return[N({label:"Communicators",rows:i.communicators,chosen:a=>t.
store.now.selection.comm===String(a.id),choose:a=>t.store.select({comm:t.store.now.selection.comm===String(a.id)?
"":String(a.id)}),columns:[{title:"number",number:!0,by:a=>a.id,cell:a=>a.id},{title:"name",by:a=>a.name,cell:a=>a.
name+(a.labels?.length?` (${a.labels.join(", ")})`:"")},{title:"size",number:!0,by:a=>a.size,cell:a=>M(a.size)},
{title:"made",number:!0,by:a=>a.made,cell:a=>M(a.made)},{title:"freed",number:!0,by:a=>a.freed,cell:a=>M(a.freed)},
{title:"made by",by:a=>a.how,cell:a=>a.how},{title:"members",wide:!0,cell:a=>m("span",{title:a.members},a.members)},
{title:"where",wide:!0,by:a=>a.site??"",cell:a=>m("span",{title:a.site??""},a.site??"")}]})]})}},Pt={id:"ranks",
title:"Ranks",command:()=>["report"],key:J,show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,c=(await L("report",
z(i,["rank"]),n,s)).ranks??[],o=Math.max(1,...c.map(r=>Math.max(r.mpi_ns,r.computation_ns)));return[N({label:"\
Ranks",rows:c,empty:"There are no times in the selection.",chosen:r=>i.selection.rank===String(r.process),choose:r=>t.
store.select({rank:i.selection.rank===String(r.process)?"":String(r.process)}),columns:[{title:"rank",number:!0,
by:r=>r.process,cell:r=>r.process},{title:"computation",number:!0,by:r=>r.computation_ns,cell:r=>B(r.computation_ns/
o,k(r.computation_ns))},{title:"in calls",number:!0,by:r=>r.mpi_ns,cell:r=>B(r.mpi_ns/o,k(r.mpi_ns),"warm")},{
title:"share in calls",number:!0,by:r=>r.mpi_ns/(r.mpi_ns+r.computation_ns||1),cell:r=>H(r.mpi_ns/(r.mpi_ns+r.
computation_ns||1))},{title:"calls",number:!0,by:r=>r.calls,cell:r=>M(r.calls)},{title:"begins",number:!0,by:r=>r.
begin_ns,cell:r=>k(r.begin_ns)},{title:"ends",number:!0,by:r=>r.end_ns,cell:r=>k(r.end_ns)},{title:"",wide:!0,
cell:()=>""}]})]})}},Et={id:"steps",title:"Steps",command:()=>["report"],key:t=>JSON.stringify([t.selection.steps,
t.selection.step_loop]),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,a=await L("steps",{step_loop:i.selection.
step_loop},n,s),c=new Map((a.slow??[]).map(u=>[Math.floor(u.step/a.stride),u])),o=a.begin_ns.map((u,h)=>({i:h,
begin:u,length:a.length_ns[h]??0,mean:a.mean_ns[h]??0,work:a.computation_ns[h]??0,slow:c.get(h)})),r=Math.max(
1,...o.map(u=>u.length)),d=u=>a.stride>1?`${u*a.stride}-${Math.min(a.total,(u+1)*a.stride)-1}`:String(u);return[
m("h3",{},`${M(a.total)} time steps${a.loop?" of the loop at "+a.loop:a.region?" (region "+a.region+")":""}, m\
edian ${k(a.median_ns)}`),N({label:"Time steps",rows:o,empty:"No time steps were found.",chosen:u=>i.selection.
steps===d(u.i),choose:u=>t.store.select({steps:i.selection.steps===d(u.i)?"":d(u.i),time:""}),columns:[{title:"\
step",number:!0,by:u=>u.i,cell:u=>d(u.i)},{title:"begins",number:!0,by:u=>u.begin,cell:u=>`${(u.begin/1e9).toFixed(
6)} s`},{title:"slowest rank",number:!0,by:u=>u.length,cell:u=>B(u.length/r,k(u.length),u.slow?"warm":"bar")},
{title:"mean",number:!0,by:u=>u.mean,cell:u=>k(u.mean)},{title:"most computation",number:!0,by:u=>u.work,cell:u=>k(
u.work)},{title:"too long by",number:!0,by:u=>u.slow?.excess_ns??0,cell:u=>u.slow?k(u.slow.excess_ns):""},{title:"\
because of",wide:!0,by:u=>u.slow?.cause??"",cell:u=>u.slow?`${u.slow.cause}${u.slow.process>=0?`, rank ${u.slow.
process}`:""}`:""}]})]})}},Rt={id:"outliers",title:"Odd ranks",command:()=>["outliers"],key:J,show:(t,e)=>{R(e,
async(n,s)=>{let i=await L("outliers",z(t.store.now),n,s);return[N({label:"Ranks that did something else than \
the others",rows:i.outliers,empty:`All ranks do what others do too (${M(i.variants.length)} ${i.variants.length===
1?"variant":"variants"} of calls).`,choose:a=>{let c=i.variants[a.variant]?.ranks??"",o=/^\d+/.exec(c)?.[0];t.
store.select({rank:c}),o&&t.call(0,Number(o),0,a.call)},columns:[{title:"ranks",by:a=>i.variants[a.variant]?.ranks??
"",cell:a=>i.variants[a.variant]?.ranks??""},{title:"like",cell:a=>i.variants[a.of]?`to ${i.variants[a.of]?.ranks}`:
""},{title:"how",by:a=>a.kind,cell:a=>a.kind},{title:"differences",number:!0,by:a=>a.differences,cell:a=>M(a.differences)},
{title:"what",wide:!0,by:a=>a.what,cell:a=>m("span",{title:a.what},a.what)}]})]})}},At={id:"compare",title:"Co\
mpare",command:()=>["diff"],key:J,show:(t,e)=>{R(e,async(n,s)=>{let i=await L("diff",z(t.store.now),n,s),a=i.times,
c=Math.max(1,...(a?.sites??[]).map(o=>Math.abs(o.b_ns-o.a_ns)));return[m("div",{class:"columns"},m("div",{},m(
"h3",{},i.same?"No differences in calls":`${M(i.total_differences)} differences in calls`),N({label:"Differenc\
es",rows:i.differences,empty:"Both made the same calls.",choose:o=>{let r=o.loops?.find(u=>u.step),d=/^\d+/.exec(
o.ranks)?.[0];t.store.select({rank:o.ranks,...r?{steps:String(r.iteration),time:""}:{}}),d&&!r&&t.call(o.world??
0,Number(d),o.thread??0,o.call_a)},columns:[{title:"kind",by:o=>o.kind,cell:o=>o.kind},{title:"ranks",by:o=>o.
num_ranks,cell:o=>o.ranks},{title:"step",number:!0,by:o=>o.loops?.find(r=>r.step)?.iteration??-1,cell:o=>o.loops?.
find(r=>r.step)?.iteration??""},{title:"what",wide:!0,cell:o=>m("span",{title:o.text},o.text)}]})),m("div",{},
m("h3",{},a?`time ${k(a.elapsed_a_ns)} and ${k(a.elapsed_b_ns)}`:"no times"),a?N({label:"Time by call site in \
both",rows:a.sites,choose:o=>t.store.select({function:o.func}),columns:[{title:"second takes more",number:!0,by:o=>o.
b_ns-o.a_ns,cell:o=>B(Math.abs(o.b_ns-o.a_ns)/c,(o.b_ns>o.a_ns?"+":"")+k(o.b_ns-o.a_ns),o.b_ns>o.a_ns?"warm":"\
bar")},{title:"first",number:!0,by:o=>o.a_ns,cell:o=>k(o.a_ns)},{title:"second",number:!0,by:o=>o.b_ns,cell:o=>k(
o.b_ns)},{title:"call",wide:!0,by:o=>o.func,cell:o=>m("span",{title:o.site??""},`${o.func} @ ${o.site??""}`)}]}):
null),...i.notes?.length?[m("div",{class:"narrow"},...i.notes.map(o=>m("p",{class:"empty"},o)))]:[])]})}};var Ot=[["site","call site"],["function","function"],["comm","communicator"],["rank","rank"]];function Be(t){return Ot.
some(([e])=>e===t)?t:"site"}var Ht={id:"sites",title:"Call sites",command:t=>["profile","--by",Be(t.detail)],key:t=>J(
t)+Be(t.detail),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,a=Be(i.detail),c=await L("profile",{...z(i),by:a},
n,s),o=h=>m("div",{class:"controls"},I("by ",Ot,a,l=>t.store.set({detail:l==="site"?"":l})),m("span",{class:"n\
ote",role:"status"},h));if(a!=="site"||!t.overview.timed)return[o(""),Le(t,c,null,a)];let r=h=>{e.firstElementChild?.
classList.contains("controls")&&T(e.firstElementChild.lastElementChild,h)},d=L("waits",z(i),n,h=>r(`waiting is\
 worked out: ${h.what} \u2026`)).catch(()=>null),u=await Promise.race([d,new Promise(h=>setTimeout(()=>h(void 0),
700))]);return u!==void 0?[o(""),Le(t,c,u,a)]:(d.then(h=>{n.aborted||T(e,o(h?"":"waiting is not known"),Le(t,c,
h,a))}),[o("waiting is worked out \u2026"),Le(t,c,null,a)])})}};function Le(t,e,n,s){let i=t.store.now,a=new Map,
c=new Map;for(let l of n?.causes??[])Nt(a,l.late.func+" @ "+l.late.site,l.time_ns);for(let l of n?.waits??[])Nt(
c,l.waiting.func+" @ "+l.waiting.site,l.time_ns);let o=e.rows.map(l=>{let f=Z(l.site),b=`${l.func} @ ${f}`;return{
...l,where:f,name:yn(l),caused:a.get(b)??0,waited:c.get(b)??0}}),r=e.elapsed_ns??0,d=e.time_ns!==void 0,u=Math.
max(1,...o.map(l=>l.times?.total_ns??0)),h=Math.max(1,...o.map(l=>l.caused));return N({label:"Calls, by "+s,rows:o,
sort:n||d?0:1,chosen:l=>s==="rank"?i.selection.rank===String(l.rank):s==="comm"?i.selection.comm===String(l.comm?.
id):!!l.func&&i.selection.function===l.func,choose:l=>{s==="rank"?t.store.select({rank:i.selection.rank===String(
l.rank)?"":String(l.rank)}):s==="comm"?t.store.select({comm:i.selection.comm===String(l.comm?.id)?"":String(l.
comm?.id)}):l.func&&t.store.select({function:i.selection.function===l.func?"":l.func})},columns:[...n?[{title:"\
causes waiting",number:!0,by:l=>l.caused||l.waited/1e9,help:"waiting of other ranks that goes back to ranks co\
ming late to these calls",cell:l=>l.caused?B(l.caused/h,k(l.caused),"warm"):""}]:[],...d?[{title:"time",number:!0,
by:l=>l.times?.total_ns??0,cell:l=>B((l.times?.total_ns??0)/u,k(l.times?.total_ns??0))},{title:"share",number:!0,
by:l=>l.times?.total_ns??0,help:"of the time of all ranks",cell:l=>H((l.times?.total_ns??0)/(s==="rank"?l.elapsed_ns||
1:r||1))}]:[],...n?[{title:"waiting in it",number:!0,by:l=>l.waited,cell:l=>l.waited?k(l.waited):""}]:[],{title:"\
calls",number:!0,by:l=>l.calls,cell:l=>M(l.calls)},...d?[{title:"mean",number:!0,by:l=>l.times?.mean_ns??0,cell:l=>l.
times?k(l.times.mean_ns):""},{title:"longest",number:!0,by:l=>l.times?.max_ns??0,cell:l=>l.times?k(l.times.max_ns):
""}]:[],{title:"bytes",number:!0,by:l=>l.bytes,cell:l=>l.bytes?j(l.bytes):""},...s==="site"||s==="function"?[{
title:"ranks",number:!0,by:l=>l.ranks,cell:l=>M(l.ranks)}]:[],{title:s==="site"?"function":s,by:l=>s==="rank"?
l.rank??0:l.name,cell:l=>l.name},...s==="site"?[{title:"call site",wide:!0,by:l=>l.where,cell:l=>m("span",{title:l.
where},l.where||"unknown")}]:[]]})}function yn(t){return t.comm?t.comm.name:t.rank!==void 0?(t.world?`w${t.world}\
:`:"")+t.rank:t.func??""}function Nt(t,e,n){t.set(e,(t.get(e)??0)+n)}var jt=[["causes","causes"],["places","where they wait"],["ranks","ranks"],["steps","time steps"]];function Dt(t){
let e={view:"causes"};for(let n of t.split(",")){let[s="",i]=n.split(":");s==="cause"&&i?e.cause=i:s==="kind"&&
i?e.kind=i:jt.some(([a])=>a===s)&&(e.view=s)}return e}function xn(t){return[t.view,t.cause&&"cause:"+t.cause,t.
kind&&"kind:"+t.kind].filter(Boolean).join(",")}var zt={id:"waits",title:"Waits",command:t=>{let e=Dt(t.detail);return["waits",...e.cause?["--cause",e.cause]:
[],...e.kind?["--kind",e.kind]:[]]},key:t=>JSON.stringify([t.selection,t.detail]),show:(t,e)=>{R(e,async(n,s)=>{
let i=t.store.now,a=Dt(i.detail),c=z(i,a.cause?["rank"]:[]),o=await L("waits",{...c,cause:a.cause,kind:a.kind},
n,s),r=l=>t.store.set({detail:xn({...a,...l})}),d=Object.entries(o.kinds).filter(([,l])=>l.count>0).sort((l,f)=>f[1].
time_ns-l[1].time_ns),u=Math.max(1,...d.map(([,l])=>l.time_ns)),h=m("div",{class:"narrow"},m("h3",{},`${k(o.total.
time_ns)} in ${M(o.total.count)} waits, ${H(o.total.time_ns/(o.elapsed_ns||1))} of the time`),N({label:"Kinds \
of waits",rows:d,empty:"Nobody waits for anybody in the selection.",chosen:([l])=>a.kind===l.replaceAll(" ","-"),
choose:([l])=>r({kind:a.kind===l.replaceAll(" ","-")?"":l.replaceAll(" ","-")}),columns:[{title:"pattern",by:([
l])=>l,cell:([l])=>l},{title:"waits",number:!0,by:([,l])=>l.count,cell:([,l])=>M(l.count)},{title:"time",number:!0,
by:([,l])=>l.time_ns,cell:([,l])=>B(l.time_ns/u,k(l.time_ns),"warm")}]}));return[m("div",{class:"controls"},I(
"show ",jt,a.view,l=>r({view:l})),a.cause!==void 0&&m("span",{},`only what rank ${a.cause} causes `,m("button",
{type:"button",click:()=>r({cause:""})},"show all")),a.kind!==void 0&&m("span",{},`only ${a.kind.replaceAll("-",
" ")} `,m("button",{type:"button",click:()=>r({kind:""})},"show all"))),m("div",{class:"columns"},h,m("div",{},
kn(o,a.view,t)))]})}};function kn(t,e,n){let s=o=>n.store.select({steps:String(o),time:""}),i=(o,r=-1)=>n.store.
select(r>=0?{rank:String(o),steps:String(r),time:""}:{rank:String(o)},{detail:`causes,cause:${o}`}),a=o=>m("sp\
an",{title:o},o);if(e==="places"){let o=Math.max(1,...t.waits.map(r=>r.time_ns));return N({label:"Where ranks \
wait",rows:t.waits,choose:r=>n.store.select({function:r.waiting.func}),columns:[{title:"time",number:!0,by:r=>r.
time_ns,cell:r=>B(r.time_ns/o,k(r.time_ns),"warm")},{title:"waits",number:!0,by:r=>r.count,cell:r=>M(r.count)},
{title:"longest",number:!0,by:r=>r.max_ns,cell:r=>k(r.max_ns)},{title:"pattern",by:r=>r.kind,cell:r=>r.kind},{
title:"waiting most",by:r=>r.waiters?.[0]?.process??-1,cell:r=>r.waiters?.[0]?`rank ${r.waiters[0].process}`:""},
{title:"for",by:r=>r.causers?.[0]?.process??-1,cell:r=>r.causers?.[0]?`rank ${r.causers[0].process}`:""},{title:"\
waiting in",wide:!0,by:r=>r.waiting.site,cell:r=>a(`${r.waiting.func} @ ${r.waiting.site}`)},{title:"late in",
wide:!0,by:r=>r.late.site,cell:r=>a(`${r.late.func} @ ${r.late.site}`)}]})}if(e==="ranks"){let o=Math.max(1,...t.
processes.map(d=>d.root_ns)),r=d=>Object.values(d.waited_ns).reduce((u,h)=>u+h,0);return N({label:"Ranks by th\
e waiting that goes back to them",rows:t.processes,sort:1,choose:d=>i(d.process),columns:[{title:"rank",number:!0,
by:d=>d.process,cell:d=>d.process},{title:"goes back to it",number:!0,by:d=>d.root_ns,cell:d=>B(d.root_ns/o,k(
d.root_ns),"warm")},{title:"others wait for it",number:!0,by:d=>d.caused_ns,cell:d=>k(d.caused_ns)},{title:"it\
 waits",number:!0,by:r,cell:d=>k(r(d))},{title:"mostly",wide:!0,cell:d=>Object.entries(d.waited_ns).sort((u,h)=>h[1]-
u[1])[0]?.[0]??""}]})}if(e==="steps"){let o=Math.max(1,...t.steps.map(r=>r.time_ns));return N({label:"Waiting \
by time step",rows:t.steps,sort:1,empty:"No time steps were found.",choose:r=>s(r.step),columns:[{title:"step",
number:!0,by:r=>r.step,cell:r=>M(r.step)},{title:"waiting",number:!0,by:r=>r.time_ns,cell:r=>B(r.time_ns/o,k(r.
time_ns),"warm")},{title:"because of",number:!0,by:r=>r.cause_ns,cell:r=>r.cause>=0?k(r.cause_ns):""},{title:"\
mostly because",wide:!0,cell:r=>{let d=t.causes[r.cause];return d?a(`rank ${d.process} comes late to ${d.late.
func} @ ${d.late.site}`):""}}]})}let c=Math.max(1,...t.causes.map(o=>o.time_ns));return N({label:"Causes of wa\
iting",rows:t.causes,choose:o=>i(o.process,o.worst_step),columns:[{title:"waiting",number:!0,by:o=>o.time_ns,cell:o=>B(
o.time_ns/c,k(o.time_ns),"warm")},{title:"waits",number:!0,by:o=>o.waits,cell:o=>M(o.waits)},{title:"late rank",
number:!0,by:o=>o.process,cell:o=>o.process},{title:"worst step",number:!0,by:o=>o.worst_step,cell:o=>o.worst_step>=
0?`${M(o.worst_step)} (${k(o.worst_step_ns)})`:""},{title:"comes late to",wide:!0,by:o=>o.late.site,cell:o=>a(
`${o.late.func} @ ${o.late.site}`)}]})}function Kt(t,e,n,s){let i=[n[0]],a=[s[0]],c=t&&e&&t.stride===e.stride?Math.min(t.begin_ns.length,e.begin_ns.length):
0;for(let o=0;o<c;o++){let r=t?.begin_ns[o]??0,d=e?.begin_ns[o]??0;r>(i.at(-1)??0)&&d>(a.at(-1)??0)&&(i.push(r),
a.push(d))}return i.push(Math.max(n[1],(i.at(-1)??0)+1)),a.push(Math.max(s[1],(a.at(-1)??0)+1)),o=>{let r=0,d=i.
length-2;for(;r<d;){let b=r+d+1>>1;(i[b]??0)<=o?r=b:d=b-1}let[u=0,h=1,l=0,f=1]=[i[r],i[r+1],a[r],a[r+1]];return l+
(o-u)/(h-u)*(f-l)}}async function We(t,e,n,s,i){let a=await O("overview",{rec:1});if(!a.grid||!t.overview.grid)
return;let c=await O("steps",{rec:1}).catch(()=>{}),o=[t.overview.grid.from_ns,t.overview.grid.to_ns],r=[a.grid.
from_ns,a.grid.to_ns],d=new fe({rec:1,overview:a,store:t.store,own:Kt(i,c,o,r),shared:Kt(c,i,r,o)});d.element.
classList.add("second"),n.append(m("h2",{},`${a.name}: coupled with the first by ${i?.total&&c?.total?"iterati\
on":"time"}`),d.element),s.push(d),c&&d.setSteps(c),_n(t,e,d)}var Mn=40;async function _n(t,e,n){let s=await O(
"diff").catch(()=>null);for(let i of s?.differences.slice(0,Mn)??[]){let a=Number(/^\d+/.exec(i.ranks)?.[0]??-1);
if(a<0)continue;let c=i.loops?.find(r=>r.step),o=()=>t.store.select({rank:i.ranks,...c?{steps:String(c.iteration),
time:""}:{}},{panel:"compare"});for(let[r,d,u]of[[0,e,i.call_a],[1,n,i.call_b]]){let l=(await O("calls",{rec:r||
void 0,rank:a,thread:i.thread||void 0,from:u,limit:1}).catch(()=>null))?.calls[0]?.start_ns;l!==void 0&&(d.markers.
push({at:l,rank:a,text:i.text,choose:o}),d.draw())}}}function Ft(t){let e=m("ul",{class:"hits",id:"hits",role:"listbox","aria-label":"What was found",hidden:!0}),n=m(
"input",{type:"search",placeholder:"search  ( / )","aria-label":"Search functions, call sites, ranks, values",
role:"combobox","aria-controls":"hits","aria-expanded":"false",autocomplete:"off",spellcheck:"false",disabled:q}),
s=[],i=-1,a=new AbortController,c=0;function o(){e.hidden=!0,n.setAttribute("aria-expanded","false"),i=-1}function r(){
[...e.children].forEach((h,l)=>{h.setAttribute("aria-selected",String(l===i)),l===i&&h.scrollIntoView({block:"\
nearest"})}),i>=0?n.setAttribute("aria-activedescendant",`hit${i}`):n.removeAttribute("aria-activedescendant")}
function d(h){o(),n.blur();let l={};for(let[f,b]of Object.entries(h.select??{}))X.includes(f)&&(l[f]=b);t.store.
select(l),h.rank>=0&&(h.kind==="value"||h.kind==="site")&&t.call(0,h.rank,h.thread,h.call),t.say(`${h.kind} ${h.
text} selected`)}async function u(h){a.abort(),a=new AbortController;let l=a;if(!h)return o();e.hidden=!1,n.setAttribute(
"aria-expanded","true");try{let f=await O("search",{q:h,limit:50},{signal:l.signal,pending:b=>T(e,m("li",{},b.
what+" \u2026"))});if(l.signal.aborted)return;s=f.hits??[],i=s.length?0:-1,T(e,...s.map((b,y)=>m("li",{role:"o\
ption",id:`hit${y}`,pointerdown:g=>{g.preventDefault(),d(b)}},m("span",{class:"kind"},b.kind),m("span",{class:"\
text",title:b.text},b.text),m("span",{},b.calls?M(b.calls):""))),s.length?null:m("li",{},"Nothing is called th\
at."),f.more?m("li",{class:"kind"},"There is more: write more of it."):null),r()}catch(f){l.signal.aborted||T(
e,m("li",{class:"bad"},f instanceof Error?f.message:String(f)))}}return n.addEventListener("input",()=>{clearTimeout(
c),c=setTimeout(()=>{u(n.value.trim())},120)}),n.addEventListener("blur",o),n.addEventListener("keydown",h=>{let l=s.
length;if(h.key==="ArrowDown"&&l)i=(i+1)%l;else if(h.key==="ArrowUp"&&l)i=(i+l-1)%l;else if(h.key==="Enter"&&s[i])
d(s[i]);else if(h.key==="Escape")o(),n.blur();else return;h.preventDefault(),r()}),{element:m("div",{class:"se\
arch"},n,e),focus:()=>{n.focus(),n.select()}}}var G=54,Q=78,Ce=class{constructor(e){this.store=e;this.element=m("div",{class:"strip"},this.canvas,this.tip),
new ResizeObserver(()=>this.draw()).observe(this.element),addEventListener("themechange",()=>this.draw()),e.listen(
(s,i)=>{s.selection.steps!==i.selection.steps&&this.draw()});let n=this.canvas;n.addEventListener("pointerdown",
s=>{n.setPointerCapture(s.pointerId),this.drag={x:s.offsetX,x1:s.offsetX}}),n.addEventListener("pointermove",s=>{
this.drag?(this.drag.x1=s.offsetX,this.draw()):this.point(s.offsetX)}),n.addEventListener("pointerleave",()=>this.
tip.hidden=!0),n.addEventListener("pointerup",()=>{let s=this.drag;this.drag=void 0;let i=this.steps;if(!s||!i?.
begin_ns.length)return;let[a,c]=[this.at(Math.min(s.x,s.x1)),this.at(Math.max(s.x,s.x1))],o=Math.min(i.total-1,
(c+1)*i.stride-1),r=a*i.stride;e.select({steps:r===o?String(r):`${r}-${o}`,time:""})})}store;element;canvas=m(
"canvas",{tabindex:0,role:"img"});tip=m("div",{class:"tip",hidden:!0});steps;width=0;waiting=!1;drag;show(e){this.
steps=e;let n=e.slow?.length??0;this.canvas.setAttribute("aria-label",`Durations of ${F(e.total,"time step")},\
 median ${k(e.median_ns)}, ${F(n,"step")} unusually long. The table Steps has the same as text.`),this.draw()}none(e){
T(this.element,m("p",{class:"empty"},e))}at(e){let n=this.steps?.begin_ns.length??1;return Math.max(0,Math.min(
n-1,Math.floor((e-Q)/(this.width-Q)*n)))}draw(){this.waiting||(this.waiting=!0,requestAnimationFrame(()=>{this.
waiting=!1,this.paint()}))}paint(){let e=this.steps;if(this.width=this.element.clientWidth,!e||!this.width)return;
let n=devicePixelRatio||1;this.canvas.width=this.width*n,this.canvas.height=G*n,this.canvas.style.width=this.width+
"px",this.canvas.style.height=G+"px";let s=this.canvas.getContext("2d");if(!s)return;s.setTransform(n,0,0,n,0,
0),s.fillStyle=C("paper"),s.fillRect(0,0,this.width,G);let i=e.length_ns.length;if(!i)return;let a=[...e.length_ns].
sort((l,f)=>l-f),c=Math.min(a[i-1]??1,Math.max((a[Math.floor(i*.99)]??1)*1.5,e.median_ns*4)),o=new Set((e.slow??
[]).map(l=>Math.floor(l.step/e.stride))),r=le(this.store.now.selection.steps,e.total),d=this.width-Q,u=l=>G-2-
Math.min(1,l/c)*(G-8),h=d/i;for(let l=0;l<i;l++){let f=Q+l*h,b=e.length_ns[l]??0,y=r&&(l*e.stride+e.stride-1<r[0]||
l*e.stride>r[1]);s.globalAlpha=y?.35:1,s.fillStyle=o.has(l)?C("bad"):C("step");let g=Math.max(h-(h>4?1:0),o.has(
l)?2:.6);if(s.fillRect(f,u(b),g,G-u(b)),h>2){s.fillStyle=C("stepwork");let x=u(e.computation_ns[l]??0);s.fillRect(
f,x,g,G-x)}b>c&&(s.fillStyle=C("paper"),s.fillRect(f,10,g,2))}s.globalAlpha=1,s.strokeStyle=C("accent"),s.setLineDash(
[3,3]),s.beginPath(),s.moveTo(Q,u(e.median_ns)+.5),s.lineTo(this.width,u(e.median_ns)+.5),s.stroke(),s.setLineDash(
[]),s.fillStyle=C("faint"),s.font="11px system-ui, DejaVu Sans, sans-serif",s.textAlign="right",s.fillText(k(c),
Q-6,14),s.fillText("steps",Q-6,G-6),Math.abs(u(e.median_ns)-14)>14&&Math.abs(u(e.median_ns)-G+6)>14&&s.fillText(
"median",Q-6,u(e.median_ns)+4),this.drag&&(s.fillStyle=C("select"),s.fillRect(Math.min(this.drag.x,this.drag.x1),
0,Math.abs(this.drag.x1-this.drag.x),G))}point(e){let n=this.steps;if(!n?.begin_ns.length||e<Q){this.tip.hidden=
!0;return}let s=this.at(e),i=(n.slow??[]).find(c=>Math.floor(c.step/n.stride)===s),a=s*n.stride;T(this.tip,m("\
b",{},n.stride>1?`steps ${a}-${Math.min(n.total,a+n.stride)-1}`:`step ${a}`),m("div",{},`${k(n.length_ns[s]??0)}\
, computation ${k(n.computation_ns[s]??0)}`),m("div",{},`median of all ${k(n.median_ns)}`),i&&m("div",{class:"\
bad"},`${k(i.excess_ns)} too long: ${i.cause}${i.process>=0?`, rank ${i.process}`:""}`)),this.tip.hidden=!1,this.
tip.style.left=Math.min(e+12,this.width-this.tip.offsetWidth-4)+"px",this.tip.style.top="4px"}};var S=new we;async function $n(){let t;try{t=await O("overview")}catch(e){document.body.replaceChildren(m("p",
{class:"fatal",role:"alert"},ne(e)));return}document.title=te(t.name)+" - tabard",Sn(t)}function Sn(t){let e=m(
"span",{class:"status",role:"status"}),n=h=>T(e,h),s,i=[],a=()=>i[0],c=[t.grid?.from_ns??0,t.grid?.to_ns??1],o={
store:S,overview:t,say:n,steps:()=>s,look:(h,l)=>{let f=a();f&&f.look(h,l,f.view[2],f.view[3],!1)},call:(h,l,f,b)=>S.
set({call:[h,l,f,b],panel:"call"}),window:()=>be(S.now.selection.time,...c)??c},r=Ft(o),d=[Ht,zt,gt,Lt,Tt,kt,yt,
vt,Pt,Et,Ct,Rt];t.recordings>1&&d.push(At);let u=m("div",{class:"maps"});if(t.grid&&t.timed){let h=new Ce(S),l=new fe(
{rec:0,overview:t,store:S});i.push(l),u.append(m("div",{class:"bar-of-map"},I("colour ",ct,S.now.color,f=>S.set(
{color:f})),I("order ",t.grid.orders.map(f=>[f,f==="mpi"?"time in calls":f==="wait"?"waiting":f]),S.now.order,
f=>S.set({order:f,view:void 0})),dt(S,l)),h.element,l.element),O("steps").then(f=>{if(s=f,!f.total)return h.none(
"No time steps were found in this run (see tabard loops).");h.show(f),l.setSteps(f),t.recordings>1&&We(o,l,u,i,
f)},f=>{h.none(ne(f)),t.recordings>1&&We(o,l,u,i,void 0)})}else u.append(m("p",{class:"empty"},"This recording\
 has no times of calls, so that there is no map. The tables below are complete."));document.body.replaceChildren(
m("div",{},m("a",{href:"#panel",class:"skip",click:h=>{h.preventDefault(),document.getElementById("panel")?.focus()}},
"skip to the tables"),Tn(t,r.element,o,d),st(o),Cn(n),it(t)),m("main",{},u,ot(o)),En(),Pn(d,o),m("footer",{},e,
m("span",{},t.version)));for(let h of document.querySelectorAll(".panel"))h.id="panel";Nn(o,r.focus,i,d,c),addEventListener(
"jump",h=>{Pe(h.detail,o,c)}),Object.assign(window,{tabard:{frames:()=>i.flatMap(h=>h.frames),first:()=>i[0]?.
firstPicture??NaN,calls:()=>i[0]?.callsDrawn()??[],near:h=>i[0]?.near(h)}})}function Tn(t,e,n,s){let i=(a,c,o)=>m(
"button",{type:"button",title:c,"aria-label":c,click:o},a);return m("header",{},m("h1",{title:t.name},t.name),
m("span",{class:"what",title:`${t.command.join(" ")}
${t.mpi}`},`${t.command.join(" ")} \u2014 ${F(t.hosts,"host")}, ${t.created.slice(0,16).replace("T"," ")}`),e,
i("\u21B6","Undo (U)",()=>S.undo()),i("\u21B7","Redo (Shift+U)",()=>S.redo()),i("copy as command","Copy as com\
mand (C)",()=>{Ut(n,s)}),i("export","Export the selection (E)",()=>Bt(n,s)),i("\u25D0","Dark or light (T)",It),
i("?","Help (?)",Ae))}function It(){let t=document.documentElement.dataset.theme??(matchMedia("(prefers-color-\
scheme: dark)").matches?"dark":"light");document.documentElement.dataset.theme=t==="dark"?"light":"dark",dispatchEvent(
new Event("themechange"))}var qe={rank:"ranks",function:"functions",comm:"communicator",time:"time",in:"region",
steps:"steps",step_loop:"step loop"},Ln={rank:"0,4-7",function:"p2p,MPI_Allreduce",comm:"0",time:"10%..30%",in:"\
solve",steps:"10-19",step_loop:"100"};function Cn(t){let e=new Map,n=m("section",{class:"selection","aria-labe\
l":"Selection"}),s=m("button",{type:"button",title:"Select everything (Esc)",click:()=>S.set({selection:{}})},
"clear");for(let a of X){if(a==="step_loop")continue;let c=m("input",{placeholder:"all",title:`${qe[a]}, e.g. ${Ln[a]}`,
"aria-label":qe[a],spellcheck:"false",autocomplete:"off"});c.addEventListener("change",()=>S.select({[a]:c.value.
trim()})),c.addEventListener("keydown",o=>{o.key==="Escape"&&c.blur()}),e.set(a,c),n.append(m("label",{class:a},
qe[a],c))}n.append(s);let i=()=>{for(let[a,c]of e)c.value=S.now.selection[a]??"",c.classList.toggle("set",!!S.
now.selection[a]);s.disabled=!Object.keys(S.now.selection).length};return S.listen((a,c)=>{i(),a.selection!==c.
selection&&t(Object.keys(a.selection).length?"selected: "+De(a.selection):"everything is selected")}),i(),n}function Pn(t,e){
let n=m("div",{role:"tablist","aria-label":"Panels"}),s=m("div",{class:"panel",role:"tabpanel",tabindex:-1}),i="",
a=()=>t.find(d=>d.id===S.now.panel)??t[0],c=d=>S.set({panel:d.id,detail:""}),o=t.map(d=>m("button",{type:"butt\
on",role:"tab",id:"tab-"+d.id,click:()=>c(d)},d.title));n.append(...o),n.addEventListener("keydown",d=>{let u=t.
indexOf(a()),h={ArrowRight:u+1,ArrowLeft:u-1,Home:0,End:t.length-1}[d.key],l=h===void 0?void 0:t[(h+t.length)%
t.length];l&&(d.preventDefault(),d.stopPropagation(),c(l),o[t.indexOf(l)]?.focus())});let r=()=>{let d=a();t.forEach(
(l,f)=>{o[f]?.setAttribute("aria-selected",String(l===d)),o[f]?.setAttribute("tabindex",l===d?"0":"-1")}),s.setAttribute(
"aria-labelledby","tab-"+d.id);let u=d.id+d.key(S.now);if(u===i)return;let h=s.contains(document.activeElement);
i=u,d.show(e,s),h&&s.focus()};return S.listen(r),addEventListener("themechange",()=>{i="",r()}),r(),m("section",
{class:"bottom","aria-label":"Panels"},n,s)}function En(){let t=m("button",{type:"button",class:"grip","aria-l\
abel":"Move the border between map and tables: up and down keys"}),e=n=>document.body.style.setProperty("--bot\
tom",Math.max(80,Math.min(innerHeight-330,n))+"px");return t.addEventListener("pointerdown",n=>t.setPointerCapture(
n.pointerId)),t.addEventListener("pointermove",n=>{t.hasPointerCapture(n.pointerId)&&e(innerHeight-n.clientY-22)}),
t.addEventListener("keydown",n=>{let s={ArrowUp:30,ArrowDown:-30}[n.key];s&&(n.stopPropagation(),n.preventDefault(),
e((document.querySelector(".bottom")?.clientHeight??264)+s))}),t}function Rn(t,e){let n=e.find(c=>c.id===S.now.
panel)??e[0],[s="report",...i]=n.command(S.now),a=!["info","dump"].includes(s);return["tabard",s,he(t.overview.
name),...i.map(he),a?De(S.now.selection):""].filter(Boolean).join(" ")}async function Ut(t,e){ge("The tabard l\
ine that prints the same",Rn(t,e),t.say)}function Bt(t,e){let n=t.overview.name.replace(/\.tabard$/,""),s=e.find(
i=>i.id===S.now.panel)??e[0];Qe([{text:`save what \u201C${s.title}\u201D shows as text (.csv)`,run:()=>Ne(`${n}\
-${s.id}.csv`,new Blob([An()],{type:"text/csv"}))},{text:"save the picture of the map (.png)",run:()=>document.
querySelector(".map canvas")?.toBlob(i=>i&&Ne(`${n}.png`,i))},{text:"copy the link to this view",run:()=>ge("T\
he link to this view",S.link,t.say)},{text:"copy the line that writes the selection in the format of another t\
ool",run:()=>ge("Export",["tabard export",he(t.overview.name),...["rank","time","steps"].filter(i=>S.now.selection[i]).
map(i=>`--${i} ${he(S.now.selection[i]??"")}`)].join(" "),t.say)}])}function An(){let t=e=>{let n=(e.textContent??
"").trim(),s=/^[=+@\t\r-]/.test(n)&&!/^[-+]?[\d.]/.test(n)?"'"+n:n;return/[",\n]/.test(s)?'"'+s.replaceAll('"',
'""')+'"':s};return[...document.querySelectorAll(".panel table")].map(e=>[...e.querySelectorAll("tr:not([aria-\
hidden])")].map(n=>[...n.children].map(t).join(",")).join(`
`)).join(`

`)+`
`}async function Pe(t,e,n){let s=e.steps();if(!s?.total)return e.say("No time steps were found in this run.");
t=Math.max(0,Math.min(s.total-1,t));let i=s.begin_ns[Math.floor(t/s.stride)]??n[0],a=i+(s.length_ns[Math.floor(
t/s.stride)]??0);if(!q)try{let r=await O("step",{k:t});[i,a]=[r.begin_ns,r.end_ns]}catch{}let c=S.now.view,o=Math.
max(1,a-i)*.04;S.select({steps:String(t),time:""},{view:[i-o,a+o,c?.[2]??0,c?.[3]??e.overview.grid?.lines??1]})}
function Je(t,e){let n=t.steps();if(!n)return 0;let s=le(S.now.selection.steps,n.total);if(s)return s[0];let i=S.
now.view,a=i?(i[0]+i[1])/2:e[0],c=-1;for(let o of n.begin_ns){if(o>a)break;c++}return c*n.stride}function Nn(t,e,n,s,i){
let a=()=>{let r=[...t.steps()?.slow??[]].map(u=>u.step).sort((u,h)=>u-h);if(!r.length)return t.say("No time s\
tep takes unusually long.");let d=S.now.selection.steps?Je(t,i):-1;Pe(r.find(u=>u>d)??r[0]??0,t,i)},c=n[0],o={
w:()=>c?.zoom(.7),s:()=>c?.zoom(1/.7),a:()=>c?.pan(-.2),d:()=>c?.pan(.2),ArrowLeft:()=>c?.pan(-.2),ArrowRight:()=>c?.
pan(.2),ArrowUp:()=>c?.scroll(-.2),ArrowDown:()=>c?.scroll(.2),"+":()=>c?.zoomLines(.5),"=":()=>c?.zoomLines(.5),
"-":()=>c?.zoomLines(2),0:()=>S.set({view:void 0}),f:()=>c?.fit(),"[":()=>{Pe(Je(t,i)-1,t,i)},"]":()=>{Pe(Je(t,
i)+1,t,i)},o:a,"/":e,"?":Ae,u:()=>S.undo(),U:()=>S.redo(),t:It,Escape:()=>S.set({selection:{}}),m:()=>{for(let r of n)
r.messages=!r.messages,r.draw();t.say(c?.messages?"messages are drawn":"messages are not drawn")},c:()=>{Ut(t,
s)},e:()=>Bt(t,s)};s.slice(0,9).forEach((r,d)=>o[String(d+1)]=()=>S.set({panel:r.id,detail:""})),addEventListener(
"keydown",r=>{if(r.target.closest("input, textarea, select, dialog"))return;if((r.ctrlKey||r.metaKey)&&!r.altKey){
let h={z:()=>r.shiftKey?S.redo():S.undo(),Z:()=>S.redo(),y:()=>S.redo()}[r.key];return h?(r.preventDefault(),h()):
void 0}if(r.ctrlKey||r.metaKey||r.altKey)return;let u=o[r.key]??(r.key.length===1?o[r.key.toLowerCase()]:void 0);
u&&(r.preventDefault(),u())}),addEventListener("themechange",()=>n.forEach(r=>r.draw())),matchMedia("(prefers-\
color-scheme: dark)").addEventListener("change",()=>dispatchEvent(new Event("themechange")))}$n();})();
