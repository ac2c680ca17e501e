"use strict";(()=>{var W=class extends Error{constructor(n,s){super(s);this.status=n}status},re=(()=>{let t=document.getElementById(
"tabard-data");return t?JSON.parse(t.textContent??"{}").answers:null})(),q=re!==null;function Ee(t,e={}){let n=Object.
keys(e).sort().filter(s=>e[s]!==void 0&&e[s]!=="").map(s=>`${encodeURIComponent(s)}=${encodeURIComponent(String(
e[s]))}`);return"/api/"+t+(n.length?"?"+n.join("&"):"")}var ee=new Map,Wt=200;function qt(t,e){let n=ee.get(t);
if(n)return ee.delete(t),ee.set(t,n),n;let s=e();ee.set(t,s),s.catch(()=>ee.delete(t));for(let i of ee.keys()){
if(ee.size<=Wt)break;ee.delete(i)}return s}function Je(){return new W(404,"This is not in this file: open the \
recording itself with tabard view.")}async function Jt(t){if(!re||!(t in re))throw Je();let e=re[t];if(typeof e==
"object"&&e.error)throw new W(409,e.error);return e}async function Xe(t,e){for(;;){let n;try{n=await fetch(t,{
signal:e.signal??null,credentials:"same-origin"})}catch(s){throw e.signal?.aborted?s:new W(0,"The server does \
not answer: has tabard view ended? Start it again, and reload this page.")}if(n.status!==202)return n;if(e.pending?.(
await n.json()),await new Promise(s=>setTimeout(s,300)),e.signal?.aborted)throw new DOMException("aborted","Ab\
ortError")}}async function Ve(t){if(t.status===401||t.status===403)return new W(t.status,"This page may not as\
k the server: open the address that tabard view printed.");try{return new W(t.status,(await t.json()).error)}catch{
return new W(t.status,`The server answered with status ${t.status}.`)}}function O(t,e={},n={}){let s=Ee(t,e);return re?
Jt(s):qt(s,async()=>{let i=await Xe(s,n);if(!i.ok)throw await Ve(i);return await i.json()})}async function Ye(t,e={}){
if(re){let s=re[t];if(typeof s!="string")throw Je();return Uint8Array.from(atob(s),i=>i.charCodeAt(0)).buffer}
let n=await Xe(t,e);if(!n.ok)throw await Ve(n);return n.arrayBuffer()}var Xt=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;function te(t){return t.replace(Xt,e=>{let n=e.codePointAt(0)??
0;return n===10?"\\n":n===9?"\\t":n<256?"\\x"+n.toString(16).padStart(2,"0"):n<65536?"\\u"+n.toString(16).padStart(
4,"0"):"\\U"+n.toString(16).padStart(8,"0")})}function u(t,e={},...n){let s=document.createElement(t);return Ge(
s,e),S(s,...n),s}function me(t,e={},...n){let s=document.createElementNS("http://www.w3.org/2000/svg",t);return Ge(
s,e),S(s,...n),s}function Ge(t,e){for(let[n,s]of Object.entries(e))typeof s=="function"?t.addEventListener(n,s):
typeof s=="string"?t.setAttribute(n,te(s)):typeof s=="number"?t.setAttribute(n,String(s)):s===!0&&t.setAttribute(
n,"")}function S(t,...e){t.replaceChildren(...e.filter(n=>n!=null&&n!==!1).map(n=>n instanceof Node?n:te(String(
n))))}function Re(t,...e){let n=u("dialog",{"aria-label":t},u("h2",{},t),...e,u("div",{class:"controls"},u("form",{method:"\
dialog"},u("button",{},"close"))));n.addEventListener("close",()=>n.remove()),document.body.append(n),n.showModal()}
var Vt=[["W S","zoom in and out in time"],["A D","move in time"],["\u2190 \u2192","move in time"],["\u2191 \u2193",
"move over ranks"],["+ \u2212","fewer, more ranks"],["0","the whole run"],["F","look at the selection"],["[ ]",
"previous, next iteration"],["O","next outlier iteration"],["/","search"],["U, Ctrl+Z","undo (also: back)"],["\
Shift+U, Ctrl+Y","redo"],["Esc","select everything again"],["M","messages on, off"],["C","copy as command"],["\
E","export"],["T","dark, light"],["1 \u2026 9","the panels"],["wheel","zoom in time; Shift: move; Alt: ranks"],
["drag","select time and ranks; Shift: move"],["click","select a rank, or show a call; Ctrl: more ranks"],["do\
uble click","look at the selection"]];function Ae(){Re("Keys and mouse",u("div",{class:"keys"},...Vt.flatMap(([
t,e])=>[u("kbd",{},t),u("span",{},e)])),u("p",{},"All panels show what is selected: ranks, functions, communic\
ators, time and steps, in the words of the command line. Tables: arrow keys, Page Up and Down, Home, End, and \
Enter to choose; Tab goes to the next part of the page."))}function ge(t,e,n){let s=u("textarea",{readonly:!0,
rows:Math.min(8,Math.ceil(e.length/80)+1),cols:84,"aria-label":t});s.value=e,navigator.clipboard?.writeText(e).
then(()=>n("copied: "+e),()=>{}),Re(t,s),s.focus(),s.select()}function Ze(t){Re("Take along",...t.map(e=>u("p",
{},u("button",{type:"button",click:()=>e.run()},e.text))))}function Ne(t,e){let n=URL.createObjectURL(e);u("a",
{href:n,download:t}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4)}function pe(t,e){if(t===0)return"0";let n=Number(t.toExponential(e-1).split("e")[1]);return n<-6||n>15?t.toPrecision(
e):t.toFixed(Math.max(0,e-1-n))}function k(t){let e=Math.abs(t);if(e<999.5)return(Number.isInteger(t)?String(t):
pe(t,3))+" ns";if(e<999500)return pe(t/1e3,3)+" us";if(e<9995e5)return pe(t/1e6,3)+" ms";if(e<11995e7)return pe(
t/1e9,3)+" s";if(e<72e11){let s=Math.round(t/1e9);return`${Math.trunc(s/60)} min ${Math.abs(s%60)} s`}let n=Math.
round(t/6e10);return`${Math.trunc(n/60)} h ${Math.abs(n%60)} min`}function j(t){if(Math.abs(t)<1024)return(Number.
isInteger(t)?String(t):pe(t,3))+" B";let e=0;for(t/=1024;Math.abs(t)>=1023.95&&e<5;e++)t/=1024;return`${t.toFixed(
1)} ${"KMGTPE"[e]}iB`}function M(t){return String(Math.round(t)).replace(/\B(?=(\d{3})+$)/g,",")}function H(t){
let e=100*t;return Number.isNaN(e)?"-":e>0&&e<.05?"<0.1%":e.toFixed(1)+"%"}function K(t,e){return t===1?"1 "+e:
M(t)+" "+e+(/(s|ch)$/.test(e)?"es":"s")}function Oe(t,e){let n=Math.min(9,Math.max(0,2-Math.floor(Math.log10(Math.max(e,1)/1e9))));return(t/1e9).toFixed(
n)+" s"}function z(t,e=[]){let n={};for(let[s,i]of Object.entries(t.selection))e.includes(s)||(n[s]=i);return n}function J(t){
return JSON.stringify(t.selection)}function ne(t){return t instanceof W?t.message:`This page failed: ${t instanceof
Error?t.message:String(t)}`}function Yt(t){return t instanceof W&&(t.status===409||t.status===404)}var Qe=new WeakMap;
async function E(t,e,n=s=>S(t,u("p",{class:"pending",role:"status"},s))){Qe.get(t)?.abort();let s=new AbortController;
Qe.set(t,s),t.setAttribute("aria-busy","true");let i=setTimeout(()=>{s.signal.aborted||n("\u2026")},150),l=c=>{
if(s.signal.aborted)return;clearTimeout(i);let r=c.total>0?`: ${M(c.done)} of ${M(c.total)}`:c.done>0?`: ${M(c.
done)}`:"";n(c.what+r+" \u2026")};try{let c=await e(s.signal,l);s.signal.aborted||S(t,...c)}catch(c){s.signal.
aborted||S(t,u("p",{class:Yt(c)?"empty":"failed",role:"status"},ne(c)))}clearTimeout(i),s.signal.aborted||t.removeAttribute(
"aria-busy")}function L(t,e,n,s){return O(t,e,{signal:n,pending:s})}function Gt(t){let e=(t.file??"").replace(
/^.*\//,"");return t.line?`${e}:${t.line}`+(t.func?` [${t.func}]`:""):t.code?t.code:t.offset!==void 0?`${e||t.
func||"?"}+0x${t.offset.toString(16)}`:t.func??e}function Z(t){return(t??[]).map(Gt).join(" < ")}function F(t,e,n,s){
let i=u("select",{change:l=>s(l.target.value)},...e.map(([l,c])=>u("option",{value:l,selected:l===n},c)));return u(
"label",{},t,i)}var X=["rank","function","comm","time","in","steps","step_loop"],Zt={rank:"--rank",function:"--function",comm:"\
--comm",time:"--time",in:"--in",steps:"--steps",step_loop:"--step-loop"},ae={selection:{},panel:"sites",color:"\
activity",order:"rank",detail:""};function He(t){let e=new URLSearchParams;for(let n of X)t.selection[n]&&e.set(
n,t.selection[n]);return t.view&&e.set("view",t.view.map(n=>String(Math.round(n))).join("_")),t.panel!==ae.panel&&
e.set("panel",t.panel),t.color!==ae.color&&e.set("color",t.color),t.order!==ae.order&&e.set("order",t.order),t.
call&&e.set("call",t.call.join(".")),t.detail&&e.set("detail",t.detail),e.toString()}function et(t,e){let n=(t??
"").split(e).map(Number);if(!(n.length!==4||n.some(s=>!Number.isFinite(s))))return n}function tt(t){let e=new URLSearchParams(
t.replace(/^#/,"")),n={...ae,selection:{}};for(let s of X){let i=e.get(s);i&&(n.selection[s]=i)}return n.view=
et(e.get("view"),"_"),n.view&&(n.view[1]<=n.view[0]||n.view[3]<1)&&(n.view=void 0),n.call=et(e.get("call"),"."),
n.panel=e.get("panel")??ae.panel,n.color=e.get("color")??ae.color,n.order=e.get("order")??ae.order,n.detail=e.
get("detail")??"",n}var we=class{state=tt(location.hash);listeners=[];place=0;last=0;moved=0;late;constructor(){
history.replaceState({place:0},""),addEventListener("popstate",e=>{let n=e.state?.place;n===void 0?history.replaceState(
{place:++this.place},""):this.place=n,this.last=Math.max(this.last,this.place),this.moved=0,clearTimeout(this.
late),this.late=void 0,this.enter(tt(location.hash))})}get now(){return this.state}listen(e){this.listeners.push(
e)}set(e,n=!1){let s={...this.state,...e},i=He(s);if(i===He(this.state))return;let l=n&&performance.now()-this.
moved<800;this.moved=n?performance.now():0,l?this.late??=setTimeout(()=>this.settle(),300):(this.settle(),this.
last=++this.place,history.pushState({place:this.place},"","#"+i)),this.enter(s)}settle(){this.late!==void 0&&(clearTimeout(
this.late),this.late=void 0,history.replaceState({place:this.place},"","#"+He(this.state)))}select(e,n={}){let s={
...this.state.selection,...e};for(let i of X)s[i]||delete s[i];this.set({...n,selection:s})}get link(){return this.
settle(),location.href}undo(){this.settle(),this.place>0&&history.back()}redo(){this.settle(),this.place<this.
last&&history.forward()}enter(e){let n=this.state;this.state=e;for(let s of this.listeners)s(e,n)}};function he(t){
return/^[\w@%+=:,./-]+$/.test(t)?t:"'"+t.replaceAll("'","'\\''")+"'"}function De(t){return X.filter(e=>t[e]).map(
e=>`${Zt[e]} ${he(t[e]??"")}`).join(" ")}function ve(t){let e=[...new Set(t)].sort((s,i)=>s-i),n=[];for(let s=0;s<
e.length;){let i=s;for(;i+1<e.length&&e[i+1]===(e[i]??0)+1;)i++;n.push(s===i?String(e[s]):`${e[s]}-${e[i]}`),s=
i+1}return n.join(",")}function ye(t,e){return t?t.split(",").some(n=>{let[s,i]=n.split("-").map(Number);return s!==
void 0&&e>=s&&e<=(i??s)}):!0}function se(t,e,n,s=" of"){return u("div",{class:"figure"+s,title:n},u("dt",{},t),u("dd",{},e))}function nt(t){
let e=u("section",{class:"verdict","aria-label":"Verdict"}),n="",s=()=>{let i=JSON.stringify(t.store.now.selection);
if(i===n)return;n=i;let l=t.overview;E(e,async(c,r)=>{let o;try{o=await L("report",z(t.store.now),c,r)}catch(f){
return[u("dl",{},...je(l)),u("div",{class:"sentence"},ne(f))]}let d=o.efficiency,m=(o.ranks??[]).reduce((f,p)=>f+
p.end_ns-p.begin_ns,0),h=Object.values(o.waits??{}).reduce((f,p)=>f+p.time_ns,0),a=(o.groups??[]).reduce((f,p)=>f+
p.time_ns,0);return[u("dl",{},o.elapsed_ns!==void 0&&se("time",k(o.elapsed_ns),"from the first call after MPI_\
Init to the last before MPI_Finalize"),d&&se("parallel efficiency",H(d.parallel),"the part of the time of all \
ranks that is computation: load balance x communication efficiency"),d&&se("load balance",H(d.load_balance),"m\
ean computation of the ranks, by the greatest"),d&&se("communication eff.",H(d.communication),"the greatest co\
mputation of a rank, by the time of the run"),a>0&&m>0&&se("in calls",H(a/m),"of the time of all ranks"),o.waits&&
m>0&&se("waiting for others",H(h/m),"of the time of all ranks: in calls that could not go on since another ran\
k came late"),...je(l)),u("div",{class:"sentence"},i==="{}"?"":"of what is selected")]},c=>{let r=e.querySelector(
".sentence");r?S(r,c):S(e,u("dl",{},...je(l)),u("div",{class:"sentence"},c))})};return t.store.listen(s),s(),e}
function je(t){return[se("ranks",M(t.processes)+(t.threads>t.processes?` (${K(t.threads,"thread")})`:""),K(t.hosts,
"host"),""),se("calls",M(t.calls),"in the whole recording","")]}function st(t){let e=t.banner,n=[];return t.timed||
n.push("No times of calls were recorded: there is no map. Record with --timing=lossy."),e.time_error_ns>0&&n.push(
`times are within ${k(e.time_error_ns)}`),e.clock_residual_ns>0&&n.push(`clocks of hosts agree within ${k(e.clock_residual_ns)}`),
e.unmeasured_clocks>0&&n.push(`the clocks of ${K(e.unmeasured_clocks,"host")} are not corrected`),e.unfinished_calls>
0&&n.push(`${K(e.unfinished_calls,"call")} did not return`),e.lost_calls>0&&n.push(`${K(e.lost_calls,"call")} \
were lost`),e.snapshot&&n.push(`the job was still running when this was taken (${e.snapshot})`),e.incomplete&&
n.push(e.incomplete),u("section",{class:"banner","aria-label":"What limits these numbers"},...n.map(s=>u("span",
{},s)))}function Qt(t){let e={},n="";for(let i=1;i<t.length;i++){let[l="",c]=(t[i]??"").split(/=(.*)/s),r=l.replace(
/^--/,"").replaceAll("-","_"),o=c??t[i+1]??"";if(X.includes(r))e[r]=o;else if(r==="cause")n="causes,cause:"+o,
e.rank=o;else if(r==="kind")n="places,kind:"+o;else continue;c===void 0&&i++}let s={waits:"waits",messages:"me\
ssages",matrix:"matrix",loops:"loops",outliers:"outliers",histogram:"histogram",profile:"sites",report:"sites",
timeline:"sites"}[t[0]??""]??"sites";return{selection:e,panel:s,detail:n}}function it(t){let e=u("ol",{class:"\
findings"}),n=u("h2",{},"Findings"),s="",i=c=>{let r=Qt(c.command??[]),o=r.selection,d=t.steps(),m=c.step>=0&&
(!d||c.step<d.total);m&&!o.steps&&(o.steps=String(c.step)),c.process>=0&&!o.rank&&(o.rank=String(c.process)),!Object.
keys(o).length&&c.func&&(o.function=c.func);let h=c.process>=0&&(c.command?.[0]==="dump"||["hang","deadlock","\
crash"].includes(c.kind));t.store.set({selection:o,panel:h?"call":r.panel,detail:r.detail,...h?{call:[0,c.process,
0,-1]}:{}}),o.steps&&m?dispatchEvent(new CustomEvent("jump",{detail:c.step})):c.step>=0&&d?.total&&t.overview.
grid&&t.look((d.begin_ns.at(-1)??0)+(d.length_ns.at(-1)??0),t.overview.grid.to_ns),t.say("selected: "+c.text)};
return s||(s="all",E(e,async(c,r)=>{let o=await L("report",{},c,r);return S(n,`Findings (${o.findings.length})`),
o.findings.length?o.findings.map(d=>u("li",{},u("button",{type:"button",title:d.text,click:()=>i(d)},u("span",
{class:"cost"},d.cost_ns>0?`${k(d.cost_ns)}, ${H(d.share)}`:""),u("span",{class:"kind"},d.kind),u("span",{class:"\
text short"},d.text)))):[u("li",{class:"empty"},"Nothing stands out: no finding concerns 1% of the time.")]})),
u("aside",{"aria-label":"Findings"},n,e)}var xe=[4456788,4728952,4082057,3238030,2523790,2072201,3520377,7261784,11918891,16639781],U=[{key:"computatio\
n",name:"computation",light:14278114,dark:3752525},{key:"point_to_point",name:"point to point",light:29362,dark:29362},
{key:"wait",name:"wait",light:13983232,dark:13983232},{key:"collective",name:"collective",light:15113984,dark:15113984},
{key:"rma",name:"one-sided",light:13400487,dark:13400487},{key:"io",name:"files",light:40563,dark:40563},{key:"\
other_mpi",name:"other MPI",light:5682409,dark:5682409},{key:"lifecycle",name:"init and finalize",light:11782108,
dark:5071224},{key:"unselected",name:"not chosen",light:9081758,dark:9081758}];function ke(t){return[t>>16,t>>
8&255,t&255]}var ot=new Map;function ie(t){let e=ot.get(t);return e===void 0&&ot.set(t,e="#"+t.toString(16).padStart(
6,"0")),e}var I=(()=>{let t=new Uint8Array(768);for(let e=0;e<256;e++){let n=e/255*(xe.length-1),s=Math.min(Math.
trunc(n),xe.length-2),i=ke(xe[s]??0),l=ke(xe[s+1]??0);for(let c=0;c<3;c++)t[3*e+c]=Math.round((i[c]??0)*(1-(n-
s))+(l[c]??0)*(n-s))}return t})(),rt=matchMedia("(prefers-color-scheme: dark)"),ze=new Map,at;function en(){ze.
clear(),at=void 0}addEventListener("themechange",en);rt.addEventListener("change",()=>dispatchEvent(new Event(
"themechange")));function V(){let t=document.documentElement.dataset.theme;return at??=t?t==="dark":rt.matches}
function Y(t){let e=U[t]??U[0];return V()?e.dark:e.light}function P(t){let e=ze.get(t);return e===void 0&&(e=getComputedStyle(
document.documentElement).getPropertyValue("--"+t).trim(),ze.set(t,e)),e}var lt=[["activity","activity"],["mpi","share in calls"],...U.slice(0,8).map(t=>[t.key,"share of "+t.name])];function ct(t,e){
let n=u("div",{class:"legend",role:"list","aria-label":"Legend"}),s=()=>{if(t.now.color==="activity"){S(n,...U.
map((r,o)=>{if(!e.seen.has(r.key))return null;let d=u("span",{class:"swatch","aria-hidden":"true"});return d.style.
background=ie(Y(o)),u("span",{class:"key",role:"listitem"},d,r.name)}));return}let i=u("canvas",{class:"ramp",
width:256,height:1,"aria-hidden":"true"}),l=i.getContext("2d"),c=l?.createImageData(256,1);if(l&&c){for(let r=0;r<
256;r++)c.data.set([I[3*r]??0,I[3*r+1]??0,I[3*r+2]??0,255],4*r);l.putImageData(c,0,0)}S(n,u("span",{class:"key"},
"0%",i,"100% of the time"))};return t.listen((i,l)=>{i.color!==l.color&&s()}),e.element.addEventListener("seen",
s),addEventListener("themechange",s),s(),n}var tn=150;function dt(t,e,n,s,[i,l]){let c=new Set,r=[];for(let m of e)for(let h of m.arrows??[]){let a=`${h.
from}.${h.send}-${h.to}.${h.receive}`;c.has(a)||(c.add(a),!(n(h.end_ns)<i||n(h.begin_ns)>l||!s.has(h.from)&&!s.
has(h.to))&&r.push(h))}if(r.length>tn)return;let o=P("line"),d=P("bad");for(let m of[!1,!0]){t.strokeStyle=m?d:
o,t.fillStyle=t.strokeStyle,t.lineWidth=m?1.6:1,t.beginPath();for(let h of r){if(h.wait_ns>0!==m)continue;let a=s.
get(h.from)??(s.get(h.to)??0)+(h.from<h.to?-2e3:2e3),f=s.get(h.to)??a+(h.to>h.from?2e3:-2e3),p=n(h.begin_ns),y=n(
h.end_ns);t.moveTo(p,a),t.lineTo(y,f);let b=Math.atan2(f-a,y-p);for(let x of[2.7,-2.7])t.moveTo(y,f),t.lineTo(
y+7*Math.cos(b+x),f+7*Math.sin(b+x));if(m){let x=n(h.end_ns-h.wait_ns);t.moveTo(x,f+4),t.lineTo(y,f+4),t.moveTo(
x,f+1),t.lineTo(x,f+7)}}t.stroke()}}var nn=4e3,Me=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;arrowPieces=new Map;aligned(e,n){
let s=2**Math.ceil(Math.log2(Math.max(64,n-e)));return{length:s,first:Math.floor(e/s),last:Math.floor(n/s)}}of(e,n,s){
let{length:i,first:l,last:c}=this.aligned(n,s),r=[];for(let o=Math.max(0,l);o<=c;o++){let d={rec:this.rec||void 0,
rank:e.rank,thread:e.thread||void 0,world:e.world||void 0,t0:o*i,t1:(o+1)*i,max:nn},m=JSON.stringify(d),h=this.
pieces.get(m);h?.lane?r.push(h.lane):h||this.ask(m,d)}return sn(r)}ask(e,n){let s={};if(this.pieces.set(e,s),O(
"lanes",n).then(i=>s.lane=i,()=>s.failed=!0).finally(()=>this.changed()),this.pieces.size>600)for(let i of[...this.
pieces.keys()].slice(0,200))this.pieces.delete(i)}arrows(e,n){let{length:s,first:i,last:l}=this.aligned(e,n),c=[];
for(let r=Math.max(0,i);r<=l;r++){let o={rec:this.rec||void 0,t0:r*s,t1:(r+1)*s,max:2e3},d=JSON.stringify(o),m=this.
arrowPieces.get(d);if(m?.arrows&&c.push(m.arrows),m)continue;let h={};if(this.arrowPieces.set(d,h),O("arrows",
o).then(a=>h.arrows=a,()=>h.failed=!0).finally(()=>this.changed()),this.arrowPieces.size>60)for(let a of[...this.
arrowPieces.keys()].slice(0,20))this.arrowPieces.delete(a)}return c}};function sn(t){let e=t[0];if(!e||t.length<
2)return t;let n=new Map,s=new Map,i=new Map,l=[],c=(r,o,d)=>{let m=r.get(o);r.set(o,m?{...m,start_ns:Math.min(
m.start_ns,d.start_ns),end_ns:Math.max(m.end_ns,d.end_ns)}:d)};for(let r of t){if(!r.calls?.length&&r.total>0)
return[];for(let o of r.calls??[])n.set(o.index,{...o,site:o.site<0?-1:o.site+l.length});for(let o of r.loops??
[])c(s,`${o.level} ${o.iteration} ${o.name}`,o);for(let o of r.regions??[])c(i,`${o.level} ${o.start_ns} ${o.name}`,
o);l.push(...r.sites??[])}return[{...e,to_ns:t.at(-1)?.to_ns??e.to_ns,total:n.size,calls:[...n.values()],loops:[
...s.values()],regions:[...i.values()],sites:l}]}var on=new Map(U.map((t,e)=>[t.key,e]));function Ie(t,e,n,s,i,l){
if(i<24)return;t.fillStyle=l;let c=Math.floor((i-6)/6.1);c<3||(e=te(e),t.fillText(e.length>c?e.slice(0,c-1)+"\u2026":
e,n+3,s))}function rn(t){return((t>>16)*299+(t>>8&255)*587+(t&255)*114)/1e3>140}function an(t,e){if(!t)return!0;
let n=!0;for(let s of t.split(",").map(i=>i.trim().toLowerCase())){let i=s.startsWith("mpi_")||s.includes("*"),
l=s.split("*").map(c=>c.replace(/[^\w]/g,"\\$&")).join(".*");if(i&&new RegExp(`^${l}$`).test(e.toLowerCase()))
return!0;n&&=i}return n?!1:void 0}function ut(t,e,n,s){let{y:i,height:l,x:c,left:r,right:o,chosen:d}=n,m=e.calls??
[];if(!m.length&&e.total>0)return!1;let h=e.loops??[],a=l>=26?Math.min(3,h.reduce((v,w)=>Math.max(v,w.level+1),
0)):0,f=l>=26?(e.regions??[]).filter(v=>v.level<1):[],p=a+(f.length?1:0)>0?Math.min(13,Math.floor(l*.5/(a+(f.length?
1:0)))):0,y=i;t.font="10px ui-monospace, DejaVu Sans Mono, monospace",t.textBaseline="middle",t.textAlign="lef\
t";for(let v of f){let w=Math.max(r,c(v.start_ns)),_=Math.min(o,c(v.end_ns))-w;if(_<=0)continue;t.fillStyle=V()?
"#2f5d50":"#bfe3d6",t.fillRect(w,y,_,p-1);let g=v.times>1?`${v.name||"regions"} (${v.times} times)`:v.name;p>=
10&&Ie(t,g,w,y+p/2,_,V()?"#e8ecf1":"#1f2933"),s.push({x:w,width:_,y,height:p,line:e,region:g})}f.length&&(y+=p);
for(let v of h){if(v.level>=a)continue;let w=Math.max(r,c(v.start_ns)),_=Math.min(o,c(v.end_ns))-w;if(_<=0)continue;
let g=y+v.level*p;t.fillStyle=V()?v.iteration%2?"#3d4a63":"#4b5a78":v.iteration%2?"#c9d6ea":"#dbe4f2",t.fillRect(
w,g,Math.max(.6,_-1),p-1);let D=(v.iteration===v.last_iteration?`${v.iteration}`:`${v.iteration}-${v.last_iteration}`)+
(v.step?" step":"")+"  "+v.name;p>=10&&Ie(t,D,w,g+p/2,_,V()?"#e8ecf1":"#1f2933"),s.push({x:w,width:_,y:g,height:p,
line:e,loop:v})}y+=a*p;let b=i+l-y,x=Math.max(r,c(e.from_ns)),T=Math.min(o,c(e.to_ns));if(m.length&&T>x){let v=Math.
max(r,c(m[0]?.start_ns??e.from_ns)),w=Math.min(o,c(m.at(-1)?.end_ns??e.to_ns));t.fillStyle=ie(Y(0)),t.fillRect(
v,y,w-v,b)}for(let v of m){let w=Math.max(r,c(v.start_ns)),_=Math.min(o,c(v.end_ns));if(_<r||w>o)continue;let g=an(
n.functions,v.func)===!1?U.length-1:on.get(v.category)??6,C=Y(g),D=Math.max(.7,_-w),ue=v.nested?b*.3:0;if(t.fillStyle=
ie(C),t.fillRect(w,y+ue,D>3?D-.7:D,b-ue),v.unfinished){t.fillStyle=V()?"#ffffff":"#000000";for(let oe=w;oe<_;oe+=
8)t.fillRect(oe,y+b-3,4,2)}v.index===d&&(t.strokeStyle=V()?"#ffffff":"#000000",t.lineWidth=2,t.strokeRect(w-1,
y-1,D+2,b+2)),b>=10&&Ie(t,v.func.replace(/^P?MPIX?_/,""),w,y+b/2,D,rn(C)?"#111820":"#ffffff"),s.push({x:w,width:D,
y,height:b,line:e,call:v,site:v.site<0?void 0:e.sites?.[v.site]})}return!0}var ln=Float32Array.from({length:256},(t,e)=>Math.pow(e/255,2.2)),Ke=Uint8Array.from({length:4096},(t,e)=>Math.
round(255*Math.pow(e/4095,1/2.2))),mt=256,_e=class{constructor(e,n,s){this.rec=e;this.grid=n;this.changed=s}rec;grid;changed;tiles=new Map;asking=0;queue=new Map;clock=0;generation=new AbortController;drop(){
this.queue.clear()}get busy(){return this.asking>0||this.queue.size>0}address(e,n){return e.path??Ee("tiles",{
...n.params,rec:this.rec||void 0,level:e.level,x:e.x,first:e.first,group:e.group,rows:e.rows})}tile(e,n,s=!0){
let i=e.path??`${e.level}.${e.x}.${e.first}.${e.group}.${e.rows}${n.key}`,l=this.tiles.get(i);if(l)return l.used=
++this.clock,l.head||l.error?l:void 0;s&&!this.queue.has(i)&&(this.queue.set(i,this.address(e,n)),queueMicrotask(
()=>this.next()))}next(){for(;this.asking<4;){let[e]=this.queue;if(!e)return;this.queue.delete(e[0]),this.tiles.
has(e[0])||this.fetch(...e)}}async fetch(e,n){let s={pixels:new Map,used:++this.clock};this.tiles.set(e,s),this.
asking++;try{let i=await Ye(n,{signal:this.generation.signal}),l=new DataView(i).getUint32(0,!0);s.head=JSON.parse(
new TextDecoder().decode(new Uint8Array(i,4,l))),s.cells=new Uint8Array(i,4+l),!s.head.exact&&s.head.pending>0&&
!q&&setTimeout(()=>{this.tiles.delete(e),this.changed()},700)}catch(i){s.error=i instanceof Error?i.message:String(
i)}this.asking--,this.trim(),this.changed(),this.next()}trim(){if(this.tiles.size<=mt)return;let e=[...this.tiles].
filter(([,n])=>n.head||n.error).sort((n,s)=>n[1].used-s[1].used);for(let[n]of e.slice(0,this.tiles.size-mt))this.
tiles.delete(n)}coarser(e,n){for(let s=1;e.level+s<=this.grid.level;s++){let i={...e,level:e.level+s,x:Math.floor(
e.x/2**s)},l=this.tile(i,n,!1);if(l?.head)return{tile:l,place:i}}}};function $e(t,e,n){if(!t.head||!t.cells)return;
let s=e+(V()?"/dark":""),i=t.pixels.get(s);if(i||!n())return i;let{bins:l,rows:c}=t.head,r=t.head.categories.length,
o=document.createElement("canvas");o.width=l,o.height=Math.max(1,c.length);let d=o.getContext("2d");if(!d)return;
let m=d.createImageData(l,Math.max(1,c.length)),h=t.head.categories.map(a=>U.findIndex(f=>f.key===a));return e===
"activity"?cn(t.cells,m.data,r,h.map(a=>ke(Y(a)))):dn(t.cells,m.data,r,t.head.categories.map(a=>e==="mpi"?a!==
"computation":a===e)),d.putImageData(m,0,0),t.pixels.set(s,o),o}function cn(t,e,n,s){let i=s.map(l=>l.map(c=>ln[c]??
0));for(let l=0,c=0;c<e.length;l+=n,c+=4){let r=0,o=0,d=0,m=0;for(let h=0;h<n;h++){let a=t[l+h]??0;if(!a)continue;
let f=i[h];f&&(r+=a*(f[0]??0),o+=a*(f[1]??0),d+=a*(f[2]??0),m+=a)}m&&(e[c]=Ke[Math.round(r/m*4095)]??0,e[c+1]=
Ke[Math.round(o/m*4095)]??0,e[c+2]=Ke[Math.round(d/m*4095)]??0,e[c+3]=Math.min(255,m+2))}}function dn(t,e,n,s){
for(let i=0,l=0;l<e.length;i+=n,l+=4){let c=0,r=0;for(let d=0;d<n;d++){let m=t[i+d]??0;r+=m,s[d]&&(c+=m)}if(!r)
continue;let o=3*Math.min(255,Math.round(255*c/r));e[l]=I[o]??0,e[l+1]=I[o+1]??0,e[l+2]=I[o+2]??0,e[l+3]=255}}
function ht(t){return t.first.map(e=>{let n=new URLSearchParams(e.replace(/^.*\?/,"")),s=i=>Number(n.get(i)??0);
return{level:s("level"),x:s("x"),first:s("first"),group:s("group")||1,rows:s("rows"),path:e}})}var un={ns:1,us:1e3,\u00B5s:1e3,ms:1e6,s:1e9,m:6e10,h:36e11};function Se(t,e,n){let s=t.trim();if(s.endsWith("\
%"))return e+(n-e)*Number(s.slice(0,-1))/100;if(s!==""&&Number.isFinite(Number(s)))return Number(s)*1e9;let i=0,
l=s;for(;l;){let c=/^([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/.exec(l);if(!c)return;i+=Number(c[1])*(un[c[2]??""]??NaN),
l=l.slice(c[0].length)}return s?i:void 0}function be(t,e,n){if(!t)return;if(t.includes("..")){let[c="",r=""]=t.
split(".."),o=c.trim()?Se(c,e,n):e,d=r.trim()?Se(r,e,n):n;return o===void 0||d===void 0?void 0:[o,d]}let s=t.search(
/(?<![eE])\+/);if(s<1)return;let i=Se(t.slice(0,s),e,n),l=Se(t.slice(s+1),0,n-e);return i===void 0||l===void 0?
void 0:[i,i+l]}function le(t,e){let n=/^\s*(\d*)\s*(-|\.\.)?\s*(\d*)\s*$/.exec(t??"");if(!t||!n)return;let s=n[1]?
Number(n[1]):0;return[s,n[3]?Number(n[3]):n[2]?e-1:s]}function ft(t,e){return`${Math.max(0,Math.floor(t))}ns..${Math.
ceil(e)}ns`}var A=78,R=34,mn=44,ce=4096,fe=class{constructor(e){this.o=e;this.grid=e.overview.grid,this.first=ht(this.grid),
this.own=e.own??(n=>n),this.shared=e.shared??(n=>n),this.tiles=new _e(e.rec,this.grid,()=>this.draw()),this.lanes=
new Me(e.rec,()=>this.draw()),this.element=u("div",{class:"map"},this.canvas,this.tip,this.note),this.canvas.setAttribute(
"aria-label",`Time from left to right, ${K(this.grid.lines,"line")} from top to bottom. The arrow keys move, p\
lus and minus zoom. The table Ranks has the same as text.`),new ResizeObserver(()=>this.resize()).observe(this.
element),e.store.listen((n,s)=>{n.view!==s.view&&this.tiles.drop(),this.draw()}),this.listen()}o;element;canvas=u(
"canvas",{tabindex:0,role:"img"});tip=u("div",{class:"tip",hidden:!0});note=u("div",{class:"mapnote","aria-liv\
e":"polite"});tiles;lanes;grid;first;width=0;height=0;waiting=!1;lines=new Map;linesOrder="";steps;drawn=[];heads=[];drag;pointer;own;shared;seen=new Set;markers=[];messages=!0;frames=[];firstPicture;setSteps(e){
this.steps=e,this.draw()}get view(){let e=this.o.store.now.view;return e?[this.own(e[0]),this.own(e[1]),e[2],e[3]]:
[this.grid.from_ns,this.grid.to_ns,0,this.grid.lines]}look(e,n,s,i,l=!0){let c=this.grid,r=Math.max(200,Math.min(
n-e,(c.to_ns-c.from_ns)*1.02)),o=(e+n)/2;e=Math.max(c.from_ns-.01*(c.to_ns-c.from_ns),Math.min(o-r/2,c.to_ns*1.01-
r)),i=Math.max(1,Math.min(c.lines,i)),s=Math.max(0,Math.min(c.lines-i,s));let d=e<=c.from_ns&&e+r>=c.to_ns&&i===
c.lines;this.o.store.set({view:d?void 0:[this.shared(e),this.shared(e+r),s,i]},l)}zoom(e,n=this.pointer?.x??A+
this.plot/2){let[s,i,l,c]=this.view,r=this.timeAt(Math.max(A,n));this.look(r-(r-s)*e,r+(i-r)*e,l,c)}pan(e){let[
n,s,i,l]=this.view;this.look(n+e*(s-n),s+e*(s-n),i,l)}scroll(e){let[n,s,i,l]=this.view,c=Math.sign(e)*Math.max(
1,Math.round(Math.abs(e)*l));this.look(n,s,i+c,l)}zoomLines(e,n=this.pointer?.y??R+(this.height-R)/2){let[s,i,
l,c]=this.view,r=Math.max(1,Math.round(e>1?Math.max(c+1,c*e):Math.min(c-1,c*e))),o=this.lineAt(n);this.look(s,
i,Math.round(o-(o-l)*(r/c)),r)}get plot(){return Math.max(1,this.width-A)}get row(){return Math.min(mn,(this.height-
R)/this.view[3])}x=e=>{let[n,s]=this.view;return A+(e-n)/(s-n)*this.plot};timeAt(e){let[n,s]=this.view;return n+
(e-A)/this.plot*(s-n)}lineAt(e){return this.view[2]+(e-R)/this.row}resize(){let e=this.element.getBoundingClientRect(),
n=devicePixelRatio||1;this.width=Math.max(200,e.width),this.height=Math.max(60,e.height),this.canvas.width=Math.
round(this.width*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.width=this.width+"px",this.
canvas.style.height=this.height+"px",this.draw()}draw(){this.waiting||!this.width||(this.waiting=!0,requestAnimationFrame(
()=>{this.waiting=!1;let e=performance.now();this.paint(),this.frames.push(performance.now()-e),this.heads.length&&
(this.firstPicture??=performance.now()),this.frames.length>500&&this.frames.splice(0,250)}))}filtered;get filter(){
let e=this.o.store.now,{selection:n,order:s}=e;if(this.filtered?.of.selection!==n||this.filtered.of.order!==s){
let i={function:n.function,comm:n.comm,in:n.in,order:s==="rank"?void 0:s};this.filtered={of:e,filter:{params:i,
key:JSON.stringify(i)}}}return this.filtered.filter}paint(){let e=this.canvas.getContext("2d");if(!e)return;let n=devicePixelRatio||
1;e.setTransform(n,0,0,n,0,0),e.fillStyle=P("paper"),e.fillRect(0,0,this.width,this.height);let s=this.o.store.
now;e.save(),e.beginPath(),e.rect(A,R,this.plot,this.height-R),e.clip(),this.drawn=[],this.heads=[];let i=this.
paintTiles(e,s),l=this.paintLanes(e,s);this.paintSelection(e,s.selection),l&&this.messages&&this.paintArrows(e),
e.restore(),this.paintAxis(e),this.paintNames(e),this.paintMarkers(e),this.drag&&!this.drag.pan&&this.paintDrag(
e),this.annotate(i)}annotate(e){let n=this.heads.reduce((r,o)=>Math.max(r,o.head.exact?0:o.head.blur_ns),0),[s,
i]=[0,0];for(let{head:r}of this.heads)for(let o of r.rows)s+=o.read,i+=o.threads;let l=this.failure;this.element.
dataset.state=e||this.tiles.busy?"loading":"ready";let c=l??(s<i?`not exact yet: ${H(s/i)} is read`:n?`not exa\
ct: means over stretches of ${k(n)}`:"");this.note.textContent!==te(c)&&S(this.note,c)}failure;paintTiles(e,n){
let[s,i,l,c]=this.view,r=(i-s)/this.plot,o=Math.max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*r)))),d=1;
for(;d*2*this.row<=2.01;)d*=2;let m=[];if(q){let w=this.first,_=[...new Set(w.map(g=>g.level))].sort((g,C)=>C-
g);o=_.find(g=>g<=o)??_.at(-1)??o,m=w.filter(g=>g.level===o)}else{let w=64*d,_=256*2**o;for(let g=Math.floor(l/
w)*w;g<Math.min(l+c,this.grid.lines);g+=w)for(let C=Math.max(0,Math.floor(s/_));C*_<Math.min(i,this.grid.to_ns);C++)
m.push({level:o,x:C,first:g,group:d,rows:Math.min(64,Math.ceil((this.grid.lines-g)/d))})}let h=this.filter,a=performance.
now()+3,f=()=>performance.now()<a||(p=!0,this.draw(),!1),p=!1;this.failure=void 0,e.imageSmoothingEnabled=!1;let[
y]=this.first,b=y&&{...y,path:void 0},x=q||!b?void 0:{place:b,tile:this.tiles.tile(b,h)},T=!x||x.tile!==void 0,
v=m.map(w=>this.tiles.tile(w,h,T));if(x?.tile&&v.some(w=>!w?.head)){let w=$e(x.tile,n.color,f);w&&x.tile.head&&
(this.see(x.tile.head,x.place),this.paintTile(e,w,x.place,x.place))}for(let[w,_]of m.entries()){let g=v[w];g?.
error&&(this.failure=g.error),g||(p=!0);let C=g&&$e(g,n.color,f);if(C&&g?.head){this.see(g.head,_),this.paintTile(
e,C,_,_);continue}let D=this.tiles.coarser(_,h);C=D&&$e(D.tile,n.color,f),D&&C&&this.paintTile(e,C,D.place,_)}
if(this.row>=5){e.fillStyle=P("paper");for(let w=Math.ceil(l+1e-9);w<=Math.min(l+c,this.grid.lines);w++)e.fillRect(
A,Math.round(R+(w-l)*this.row)-1,this.plot,1)}return p}see(e,n){this.heads.push({head:e,place:n});let s=this.seen.
size;for(let i of e.rows)i.sum_ns.forEach((l,c)=>l>0&&this.seen.add(e.categories[c]??""));this.seen.size>s&&this.
element.dispatchEvent(new Event("seen"))}paintTile(e,n,s,i){let l=2**(s.level-i.level),c=256/l,r=256*2**i.level,
o=this.x(i.x*r),d=R+(s.first-this.view[2])*this.row,m=n.height;e.drawImage(n,(i.x-s.x*l)*c,0,c,m,o,d,this.x((i.
x+1)*r)-o,m*s.group*this.row)}get rate(){return this.o.overview.calls/this.grid.lines/Math.max(1,this.grid.to_ns-
this.grid.from_ns)}near(e){let{from_ns:n,to_ns:s}=this.grid,i=Math.min((s-n)/2,30/this.rate);this.look((n+s)/2-
i,(n+s)/2+i,0,e)}paintLanes(e,n){let[s,i,l,c]=this.view;if(this.row<12||!this.o.overview.timed||q||n.color!=="\
activity"||this.rate*(i-s)>1500)return!1;let r=!1;for(let o=Math.floor(l);o<Math.min(Math.ceil(l+c),this.grid.
lines);o++){let d=this.line(o);if(!d)continue;let m=R+(o-l)*this.row,h=n.call,a={y:m,height:this.row-1,x:this.
x,left:A,right:this.width,functions:n.selection.function,chosen:h&&h[0]===d.world&&h[1]===d.rank&&h[2]===d.thread?
h[3]:void 0};for(let f of this.lanes.of(d,s,i))r=ut(e,f,a,this.drawn)||r}return r}paintArrows(e){let[n,s,i,l]=this.
view,c=new Map;for(let r=Math.floor(i);r<i+l;r++){let o=this.line(r);o&&o.thread===0&&c.set(o.rank,R+(r-i+.5)*
this.row)}dt(e,this.lanes.arrows(n,s),this.x,c,[A,this.width])}paintSelection(e,n){let{from_ns:s,to_ns:i,lines:l}=this.
grid,[,,c,r]=this.view,o=P("veil"),d=be(n.time,s,i),m=this.steps&&le(n.steps,this.steps.total),h=A,a=this.width;
if(d&&([h,a]=[this.x(this.own(d[0])),this.x(this.own(d[1]))]),m&&this.steps){let b=Math.min(this.steps.begin_ns.
length-1,Math.floor(m[0]/this.steps.stride)),x=Math.min(this.steps.begin_ns.length-1,Math.floor(m[1]/this.steps.
stride));h=Math.max(h,this.x(this.steps.begin_ns[b]??s)),a=Math.min(a,this.x((this.steps.begin_ns[x]??i)+(this.
steps.length_ns[x]??0)))}if(e.fillStyle=o,h>A&&e.fillRect(A,R,h-A,this.height),a<this.width&&e.fillRect(a,R,this.
width-a,this.height),(d||m)&&(e.fillStyle=P("accent"),e.fillRect(h-1,R,2,this.height),e.fillRect(a-1,R,2,this.
height)),!n.rank)return;e.fillStyle=o;let f=Math.max(A,h),p=Math.min(this.width,a)-f,y=Math.max(1,Math.floor(1/
this.row));for(let b=Math.floor(c);b<Math.min(l,c+r);b+=y){let x=this.line(b);x&&!ye(n.rank,x.rank)&&e.fillRect(
f,R+(b-c)*this.row,p,Math.max(1,y*this.row))}}paintAxis(e){let[n,s]=this.view;e.fillStyle=P("faint"),e.strokeStyle=
P("rule"),e.lineWidth=1,e.font="11px system-ui, DejaVu Sans, sans-serif",e.textBaseline="alphabetic";let i=(s-
n)/this.plot*110,l=10**Math.floor(Math.log10(i)),c=[1,2,5,10].map(r=>r*l).find(r=>r>=i)??i;for(let r=Math.ceil(
n/c)*c;r<=s;r+=c){let o=Math.round(this.x(r))+.5;if(o<A)continue;e.beginPath(),e.moveTo(o,14),e.lineTo(o,18),e.
stroke();let d=Oe(r,c*10);o+e.measureText(d).width/2<this.width&&(e.textAlign="center",e.fillText(d,Math.max(o,
A+e.measureText(d).width/2),11))}this.paintSteps(e),e.beginPath(),e.moveTo(A,R-.5),e.lineTo(this.width,R-.5),e.
stroke()}paintSteps(e){let n=this.steps;if(e.textAlign="left",e.fillText(n?.begin_ns.length?"step":"",4,29),!n)
return;let s=new Set((n.slow??[]).map(a=>Math.floor(a.step/n.stride))),[i,l]=this.view,c=n.begin_ns.filter(a=>a>=
i&&a<=l).length,r=Math.max(1,c*n.stride*60/this.plot),o=10**Math.floor(Math.log10(r)),d=[1,2,5,10].map(a=>a*o).
find(a=>a>=r)??r,m=-1/0,h=-1/0;for(let a=0;a<n.begin_ns.length;a++){let f=Math.round(this.x(n.begin_ns[a]??0))+
.5;if(f<A||f>this.width)continue;let p=Math.ceil(a*n.stride/d)*d,y=p<(a+1)*n.stride&&f>=h;if(!y&&!s.has(a)&&f-
m<4||(m=f,e.strokeStyle=s.has(a)?P("bad"):P("rule"),e.beginPath(),e.moveTo(f,y?20:31),e.lineTo(f,R),e.stroke(),
!y))continue;let b=String(p);h=f+e.measureText(b).width+10,h<this.width&&e.fillText(b,f+2,29)}}paintNames(e){let[
,,n,s]=this.view,i=Math.max(1,Math.ceil(13/this.row));e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign=
"right",e.textBaseline="middle";let l=this.o.store.now.selection.rank,c=-1/0;for(let r=Math.ceil(n/i)*i;r<Math.
min(this.grid.lines,n+s);r+=i){let o=this.line(r);if(!o)continue;let d=Math.max(R+(r-n+.5)*this.row,R+6);d>this.
height-4||d<c||(c=d+12,e.fillStyle=l&&ye(l,o.rank)?P("accent"):P("ink"),e.fillText(pt(o,i===1||r===0),A-6,d))}}paintMarkers(e){
for(let n of this.markers){let s=this.yOfRank(n.rank),i=this.x(n.at);s===void 0||i<A||i>this.width||(e.fillStyle=
P("bad"),e.strokeStyle=P("paper"),e.beginPath(),e.moveTo(i,s),e.lineTo(i-5,s-9),e.lineTo(i+5,s-9),e.closePath(),
e.fill(),e.stroke())}}paintDrag(e){let n=this.drag;if(!n)return;e.strokeStyle=P("accent"),e.fillStyle=P("selec\
t");let s=Math.min(n.x,n.x1),i=Math.min(n.y,n.y1),l=[s,this.grid.lines>1?i:R,Math.abs(n.x1-n.x),this.grid.lines>
1?Math.abs(n.y1-n.y):this.height];e.fillRect(...l),e.strokeRect(...l)}line(e){let n=this.o.store.now.order;n!==
this.linesOrder&&(this.linesOrder=n,this.lines=new Map);let s=Math.floor(e/ce)*ce,i=this.lines,l=i.get(s);if(l===
void 0&&(i.set(s,null),O("lines",{rec:this.o.rec||void 0,order:n==="rank"?void 0:n,first:s,count:ce}).then(c=>{
i.set(s,c),this.draw()},()=>{})),l)return l.lines[e-s];for(let{head:c,place:r}of this.heads){if(r.group!==1)continue;
let o=c.rows[e-r.first];if(o)return{rank:o.rank,world:o.world,thread:o.thread,host:"",class:0,calls:0}}}yOfRank(e){
let[,,n,s]=this.view;for(let i=Math.floor(n);i<n+s;i++){let l=this.line(i);if(l?.rank===e&&l.thread===0)return R+
(i-n+.5)*this.row}}hit(e,n){let s;for(let i of this.drawn)n<i.y||n>i.y+i.height||e<i.x-1||e>i.x+Math.max(i.width,
2)||(!s||i.width<=s.width)&&(s=i);return s}listen(){let e=this.canvas;e.addEventListener("pointerdown",n=>{n.button>
1||(e.setPointerCapture(n.pointerId),this.drag={x:n.offsetX,y:n.offsetY,x1:n.offsetX,y1:n.offsetY,pan:n.shiftKey||
n.button===1},this.tip.hidden=!0)}),e.addEventListener("pointermove",n=>{this.pointer={x:n.offsetX,y:n.offsetY};
let s=this.drag;if(!s)return this.point();if(s.pan){let[i,l,c,r]=this.view,o=(s.x1-n.offsetX)/this.plot*(l-i);
this.look(i+o,l+o,c+Math.round((s.y1-n.offsetY)/this.row),r)}s.x1=n.offsetX,s.y1=n.offsetY,this.draw()}),e.addEventListener(
"pointerup",n=>{let s=this.drag;this.drag=void 0,s&&!s.pan&&this.released(s,n.ctrlKey||n.metaKey),this.draw()}),
e.addEventListener("pointercancel",()=>this.drag=void 0),e.addEventListener("pointerleave",()=>{this.pointer=void 0,
this.tip.hidden=!0}),e.addEventListener("dblclick",()=>this.fit()),e.addEventListener("wheel",n=>{n.preventDefault();
let s=n.deltaMode?n.deltaY*20:n.deltaY;Math.abs(n.deltaX)>Math.abs(n.deltaY)?this.pan(n.deltaX/1e3):n.shiftKey?
this.pan(s/1e3):n.altKey?this.zoomLines(Math.exp(s/400),n.offsetY):this.zoom(Math.exp(s/400),n.offsetX)},{passive:!1})}fit(){
let e=this.o.store.now.selection,{from_ns:n,to_ns:s}=this.grid,i=be(e.time,n,s),l=this.steps&&le(e.steps,this.
steps.total);if(l&&this.steps){let d=Math.floor(l[0]/this.steps.stride),m=Math.min(this.steps.begin_ns.length-
1,Math.floor(l[1]/this.steps.stride));i??=[this.steps.begin_ns[d]??n,(this.steps.begin_ns[m]??s)+(this.steps.length_ns[m]??
0)]}let[c,r]=i??[n,s],o=i?(r-c)*.03:0;this.look(c-o,r+o,this.view[2],this.view[3],!1)}async released(e,n){let s=this.
o.store;if(Math.abs(e.x1-e.x)<4&&Math.abs(e.y1-e.y)<4){let o=this.markers.find(a=>Math.abs(this.x(a.at)-e.x)<6&&
Math.abs((this.yOfRank(a.rank)??-99)-5-e.y)<9);if(o)return o.choose();let d=this.line(Math.floor(this.lineAt(e.
y))),m=this.hit(e.x,e.y);if(m?.call){let a=m.line;return s.set({call:[a.world,a.rank,a.thread,m.call.index],panel:"\
call"})}if(m?.loop?.step&&m.loop.iteration===m.loop.last_iteration)return s.select({steps:String(m.loop.iteration),
time:""});if(!d||e.y<R)return;let h=s.now.selection.rank;return n&&h?s.select({rank:ye(h,d.rank)?ve(this.ranksIn(
h).filter(a=>a!==d.rank)):ve([...this.ranksIn(h),d.rank])}):s.select({rank:h===String(d.rank)?"":String(d.rank)})}
let i=ft(this.shared(this.timeAt(Math.max(A,Math.min(e.x,e.x1)))),this.shared(this.timeAt(Math.max(e.x,e.x1)))),
l=Math.max(0,Math.floor(this.lineAt(Math.min(e.y,e.y1)))),c=Math.min(this.grid.lines-1,Math.floor(this.lineAt(
Math.max(e.y,e.y1)))),r=l<=0&&c>=this.grid.lines-1||Math.abs(e.y1-e.y)<4||e.y<R;s.select({time:i,steps:"",rank:r?
s.now.selection.rank??"":await this.ranksOf(l,c)})}ranksIn(e){return e.split(",").flatMap(n=>{let[s=0,i=s]=n.split(
"-").map(Number);return Array.from({length:i-s+1},(l,c)=>s+c)})}async ranksOf(e,n){let s=this.o.store.now.order,
i=[];for(let l=Math.floor(e/ce)*ce;l<=n;l+=ce)(await O("lines",{rec:this.o.rec||void 0,order:s==="rank"?void 0:
s,first:l,count:ce})).lines.forEach((r,o)=>{l+o>=e&&l+o<=n&&r.rank>=0&&i.push(r.rank)});return ve(i)}point(){let e=this.
pointer;if(!e||e.x<A||e.y<R){this.tip.hidden=!0;return}let n=this.timeAt(e.x),s=Math.floor(this.lineAt(e.y)),[
i,l]=this.view,c=this.hit(e.x,e.y),r=[],o=this.line(s);if(c?.call)r.push(...hn(c.call,c.site));else if(c?.loop){
let a=c.loop;r.push(u("b",{},`${a.step?"step":"iteration"} ${a.iteration}${a.last_iteration>a.iteration?"-"+a.
last_iteration:""} of ${a.of}`),u("div",{},a.name),u("div",{},k(a.end_ns-a.start_ns)))}else c?.region?r.push(u(
"b",{},"region "+c.region)):r.push(...this.aboutCell(s,n));let d=this.markers.find(a=>Math.abs(this.x(a.at)-e.
x)<6&&Math.abs((this.yOfRank(a.rank)??-99)-5-e.y)<9);if(d&&r.unshift(u("b",{class:"bad"},d.text)),!r.length){this.
tip.hidden=!0;return}S(this.tip,u("div",{class:"where"},`${o?pt(o,!0):""}  at ${Oe(n,l-i)}`),...r),this.tip.hidden=
!1;let m=this.tip.offsetWidth,h=this.tip.offsetHeight;this.tip.style.left=(e.x+16+m>this.width?Math.max(0,e.x-
m-12):e.x+16)+"px",this.tip.style.top=Math.max(0,Math.min(e.y+14,this.height-h-4))+"px"}aboutCell(e,n){for(let{
head:s,place:i}of this.heads){let l=Math.floor((e-i.first)/i.group),c=Math.floor(n/2**i.level)-i.x*256,r=s.rows[l];
if(!r||c<0||c>255||e<i.first)continue;let o=this.tiles.tile(i,this.filter,!1)?.cells;if(!o)continue;let d=s.categories.
length,m=s.categories.map((a,f)=>[o[(l*256+c)*d+f]??0,a]).filter(([a])=>a>0).sort((a,f)=>f[0]-a[0]),h=r.threads>
1?u("div",{},`mean of ${K(r.threads,"thread")}: ranks ${r.rank} to ${r.last_rank}`):null;return r.read===0?[u(
"div",{},"not read yet")]:[...h?[h]:[],u("div",{},`mean of ${k(2**i.level)}`),...m.length?m.map(([a,f])=>u("di\
v",{},`${H(a/255)} ${U.find(p=>p.key===f)?.name??f}`)):[u("div",{},"nothing is known")]]}return[]}callsDrawn(){
let e=this.canvas.getBoundingClientRect();return this.drawn.flatMap(n=>n.call?[{x:e.x+n.x+n.width/2,y:e.y+n.y+
n.height/2,width:n.width,func:n.call.func,index:n.call.index,rank:n.line.rank}]:[])}};function pt(t,e){let n=(t.
world?`w${t.world}:`:"")+(t.rank<0?"?":t.rank)+(t.thread?"."+t.thread:"");return e&&!t.world&&!t.thread?"rank "+
n:n}function hn(t,e){return[u("b",{},t.func),u("div",{},`${k(t.end_ns-t.start_ns)}${t.unfinished?", did not re\
turn":""}, call ${t.index}`),...e?[u("div",{class:"site"},e)]:[]]}function Te(t){return t===null?"not known or not significant":Array.isArray(t)?"["+t.map(Te).join(", ")+"]":typeof t==
"object"?"{"+Object.entries(t).map(([e,n])=>`${e}: ${Te(n)}`).join(", ")+"}":String(t)}var gt={id:"call",title:"\
Call",command:t=>t.call?["dump","--rank",String(t.call[1]),"--from",String(t.call[3]),"--limit","1"]:["dump"],
key:t=>String(t.call),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now.call;if(!i)return[u("p",{class:"empty"},
"Click a call in the map (zoom in until calls are drawn one by one), or choose one in a table.")];let[l,c,r]=i,
o={world:l||void 0,rank:c,thread:r||void 0},d=i[3];d<0&&(d+=(await L("calls",{...o,from:0,limit:1},n,s)).total);
let m=await L("calls",{...o,from:d,limit:1},n,s),h=m.calls[0];if(!h)return[u("p",{class:"empty"},`Rank ${c} ma\
de ${M(m.total)} calls: there is no call ${d}.`)];let a=h.flags?.includes("unfinished"),f=h.start_ns,p=h.end_ns??
f,y=v=>t.store.set({call:[l,c,r,v]}),b=()=>{if(f===void 0||p===void 0)return;let v=Math.max(p-f,500);t.look(f-
v,p+v,c)},x=u("div",{class:"controls"},u("b",{},h.func),`rank ${l?`w${l}:`:""}${c}${r?", thread "+r:""}, call ${M(
h.index)} of ${M(m.total)}`,u("button",{type:"button",disabled:d<=0,click:()=>y(d-1)},"\u2190 previous"),u("bu\
tton",{type:"button",disabled:d+1>=m.total,click:()=>y(d+1)},"next \u2192"),u("button",{type:"button",disabled:f===
void 0,click:b},"zoom to it"),u("button",{type:"button",click:()=>t.store.select({function:h.func})},"select t\
he function")),T=u("dl",{class:"call"});return f!==void 0&&p!==void 0&&fn(t,T,c,f,Math.max(p,f+1),h,n),[x,u("d\
iv",{class:"columns"},bt([["call",h.func+(h.flags?.length?` (${h.flags.join(", ")})`:"")],...Object.entries(h.
in).map(([v,w])=>[v,Te(w)]),...Object.entries(h.out).map(([v,w])=>["\u2192 "+v,Te(w)]),["returned",a?"no":h.error??
String(h.ret)]]),bt([["begin",f===void 0?"not recorded":`${(f/1e9).toFixed(9)} s`],["duration",a||h.end_ns===void 0?
"did not return":k(h.end_ns-(f??0))],["call site",Z(h.site?.slice(0,1))||"unknown"],...(h.site??[]).slice(1).map(
v=>["called from",Z([v])])]),u("div",{},u("h3",{},"Messages of this call"),T))]})}};function bt(t){return u("d\
l",{class:"call"},...t.flatMap(([e,n])=>[u("dt",{},e),u("dd",{},n)]))}async function fn(t,e,n,s,i,l,c){let r=[];
try{let o=await L("arrows",{t0:Math.floor(s),t1:Math.ceil(i),max:5e3},c,()=>{});for(let d of o.arrows??[]){let m=d.
from===n&&d.send===l.index,h=d.to===n&&d.receive===l.index;if(!m&&!h)continue;let a=m?d.to:d.from;if(r.push(u(
"dt",{},m?"to":"from"),u("dd",{},u("button",{type:"button",click:()=>t.call(0,a,0,m?d.receive:d.send)},`rank ${a}\
, call ${M(m?d.receive:d.send)}`),` ${d.bytes>=0?j(d.bytes):"size unknown"}, tag ${d.tag}`,d.wait_ns>0&&u("spa\
n",{class:"bad"},h?`; waited ${k(d.wait_ns)} for rank ${d.from}, which came late`:`; rank ${d.to} waited ${k(d.
wait_ns)} for this`))),r.length>40)break}}catch{}e.replaceChildren(...r.length?r:[u("dd",{},"none are known")])}var pn=[["sizes","sizes of messages"],["durations","durations of calls"]],vt={id:"histogram",title:"Histogram",
command:t=>["histogram",...t.detail==="durations"?["--durations"]:[]],key:t=>J(t)+(t.panel==="histogram"?t.detail:
""),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,l=i.detail==="durations"?"durations":"sizes",c=u("div",{class:"\
controls"},F("show ",pn,l,o=>t.store.set({detail:o==="sizes"?"":o}))),r=[];if(l==="sizes"){let o=await L("hist\
ogram",z(i),n,s);for(let d of o.histograms)d.messages&&r.push(u("div",{},u("h3",{},`${d.kind==="p2p"?"point to\
 point":d.kind}: ${M(d.messages)} messages, ${j(d.bytes)}`),wt(d.bins.map(m=>({label:m.from===m.to?j(m.from):`${j(
m.from)} to ${j(m.to)}`,value:m.messages,text:`${M(m.messages)} messages, ${j(m.bytes)}`})))))}else{let o=await L(
"report",z(i),n,s);for(let d of[...o.calls??[]].sort((m,h)=>h.mpi.sum_ns-m.mpi.sum_ns).slice(0,6))r.push(u("di\
v",{},u("h3",{title:d.site},`${d.func} @ ${d.site.split(" < ")[0]}: median ${k(d.durations.p50_ns)}`),wt(bn(d.
durations.bins??[]).map(m=>({label:`${k(m.from_ns)} to ${k(m.to_ns)}`,value:m.count,text:`${M(m.count)} calls`})))))}
return[c,r.length?u("div",{class:"columns"},...r):u("p",{class:"empty"},"There is nothing of this kind in the \
selection.")]})}};function bn(t){let e=new Map;for(let n of t){let s=Math.floor(Math.log2(Math.max(1,n.from_ns))),
i=e.get(s);i?i.count+=n.count:e.set(s,{from_ns:2**s,to_ns:2**(s+1),count:n.count})}return[...e.values()]}function wt(t){
let e=Math.max(1,...t.map(c=>c.value)),n=150,s=110,i=me("svg",{width:n+s+170,height:t.length*18+4,role:"list"});
t.forEach((c,r)=>{let o=r*18;i.append(me("g",{role:"listitem","aria-label":`${c.label}: ${c.text}`},me("text",
{x:n-6,y:o+13,"text-anchor":"end"},c.label),me("rect",{class:"value",x:n,y:o+3,width:Math.max(1,c.value/e*s),height:13}),
me("text",{x:n+c.value/e*s+5,y:o+13},c.text)))});let l=u("div",{class:"chart"});return l.append(i),l}var gn=20,yt={id:"icicle",title:"Icicle",command:()=>["profile","--by","site"],key:t=>J(t)+(t.panel==="icicle"?
t.detail:""),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,l=await L("profile",{...z(i),by:"site"},n,s),c=l.
time_ns!==void 0,r={name:c?"time in calls":"calls",value:0,calls:0,call:!1,children:new Map};for(let y of l.rows){
let b=c?y.times?.total_ns??0:y.calls,x=[...y.site??[]].reverse().map(v=>v.func||(v.file??"?").replace(/^.*\//,
"")+(v.offset?"+0x"+v.offset.toString(16):"")),T=r;T.value+=b,T.calls+=y.calls;for(let v of[...x,y.func??""]){
let w=v===y.func&&v!=="",_=T.children.get(v);_||T.children.set(v,_={name:v,value:0,calls:0,call:w,children:new Map}),
T=_,T.value+=b,T.calls+=y.calls}}if(!r.value)return[u("p",{class:"empty"},"There is nothing of this kind in th\
e selection.")];let o=i.detail?i.detail.split(""):[],d=r;for(let y of o)d=d.children.get(y)??d;let m=u("div",
{class:"icicle",role:"tree","aria-label":"Functions by "+(c?"time":"calls")}),h=Math.max(400,e.clientWidth-40),
a=y=>`${y.name}: ${c?k(y.value):""} ${H(y.value/r.value)}, ${M(y.calls)} calls`,f=0,p=(y,b,x,T)=>{let v=y.value/
d.value*h;if(v<1.5||f++>3e3)return;let w=u("button",{type:"button",role:"treeitem",title:a(y),"aria-label":a(y),
click:()=>{y.call?t.store.select({function:y.name}):t.store.set({detail:(y===d?T.slice(0,-1):T).join("")})}},
v>30?y.name:"");w.style.left=b+"px",w.style.top=x*gn+"px",w.style.width=Math.max(1,v-1)+"px",w.style.background=
y.call?ie(Y(3)):ie(Y(U.findIndex(g=>g.key==="lifecycle"))),y.call?w.style.color="#111820":w.style.color="inher\
it",m.append(w);let _=b;for(let g of[...y.children.values()].sort((C,D)=>D.value-C.value))p(g,_,x+1,[...T,g.name]),
_+=g.value/d.value*h};return p(d,0,0,o),[u("p",{class:"empty"},`As wide as ${c?"time in calls":"the number of \
calls"} of all selected ranks; orange: calls. A click unfolds, on the uppermost goes back.`),m]})}};var kt={id:"loops",title:"Loops",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.selection.function,
t.selection.step_loop,t.panel==="loops"?t.detail:""]),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,l=await L(
"loops",{rank:i.selection.rank,function:i.selection.function,step_loop:i.selection.step_loop},n,s),c=Math.max(
0,Math.min(l.classes.length-1,Number(i.detail)||0)),r=l.classes[c];if(!r)return[u("p",{class:"empty"},"No call\
s are selected.")];let o=u("div",{},u("p",{class:"empty"},"A loop, or all of a rank, as C: choose \u2018as C\u2019.")),
d=u("div",{class:"tree"},Mt(r.body,r.blocks??[],0,t,m=>{xt(o,r.blocks??[],m)}));return[u("div",{class:"control\
s"},F("ranks that do the same ",l.classes.map((m,h)=>[String(h),`${m.ranks||"?"}${m.thread?", thread "+m.thread:
""} (${M(m.calls)} calls)`]),String(c),m=>t.store.set({detail:m==="0"?"":m})),u("span",{},`${M(l.classes.length)}\
 ${l.classes.length===1?"class":"classes"}`),u("button",{type:"button",click:()=>{xt(o,r.blocks??[])}},"all of\
 it as C")),u("div",{class:"columns"},d,o)]})}};function wn(t){let e=t.site?.[0],n=Z(e?[e]:[]);return e?.last_line&&
e.last_line!==e.line?n.replace(/:(\d+)/,`:$1-${e.last_line}`):n}function Mt(t,e,n,s,i){let l=u("ul",{role:n?"g\
roup":"tree"});for(let c of t){let r=c.body??(c.block!==void 0?e[c.block]:void 0),o=c.min===c.max?M(c.min):`${M(
c.min)} to ${M(c.max)}`,d=u("li",{role:"treeitem"}),m=c.share_of_time!==void 0?H(c.share_of_time)+" of time":H(
c.share_of_calls)+" of calls",h=c.kind==="call"?`${o==="1"?"":o+" \xD7 "}${c.func}`:c.kind==="loop"?`loop, ${o}\
 times`:c.kind==="mixed"?"calls in no regular order":"block",a=(c.params??[]).filter(p=>/^(dest|source|count|sendcount|tag|root|comm)$/.
test(p.name)).map(p=>`${p.name} ${p.relation?"= "+p.relation:p.values.join(", ")+(p.more?", \u2026":"")}`).join(
"; "),f=u("span",{class:"node"+(c.time_step?" step":"")},c.kind==="call"?u("button",{type:"button",class:"text",
click:()=>s.store.select({function:c.func??""})},h):u("span",{},h),c.time_step&&u("span",{class:"bad"},"time s\
tep"),u("span",{class:"count"},m),u("span",{class:"params"},a),u("span",{class:"params",title:Z(c.site)},wn(c)),
c.kind==="loop"&&u("button",{type:"button",click:()=>i(c)},"as C"));if(r?.length&&n<40){let p,y=n<3,b=u("butto\
n",{type:"button",class:"toggle","aria-expanded":y?"true":"false","aria-label":"unfold "+h},y?"\u25BE":"\u25B8"),
x=T=>{b.setAttribute("aria-expanded",String(T)),S(b,T?"\u25BE":"\u25B8"),p?.remove(),p=void 0,T&&d.append(p=Mt(
r,e,n+1,s,i))};b.addEventListener("click",()=>x(!p)),d.append(b,f),y&&x(!0)}else d.append(u("span",{class:"tog\
gle"}),f);l.append(d)}return l}function _t(t,e,n=0){if(t.func||n>40)return t.func;for(let s of t.body??(t.block!==
void 0?e[t.block]??[]:[])){let i=_t(s,e,n+1);if(i)return i}}async function xt(t,e,n){S(t,u("p",{class:"pending"},
"writing C \u2026"));try{let s=n?.site?.[0],i=await O("code",{times:n?.max,call:n?_t(n,e):void 0}),l=i.text.split(
`
`),c=l.length>5e3?l.slice(0,5e3).join(`
`)+`
/* ${l.length-5e3} more lines: tabard proxy writes all */`:i.text;S(t,u("h3",{},`${i.title||(s?Z([s]):"")} (${M(
i.lines)} lines)`),u("pre",{class:"code",tabindex:0}));let r=t.querySelector("pre");r&&(r.textContent=c.replace(
/[^\S\n\t ]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,"\uFFFD"));
for(let o of i.notes??[])t.append(u("p",{class:"empty"},o))}catch(s){S(t,u("p",{class:"failed"},ne(s)))}}var de=24;function N(t){if(!t.rows.length)return u("p",{class:"empty"},t.empty??"There is nothing of this kind\
 in the selection.");let e=t.rows,n=t.sort??-1,s=!1,i=Math.max(0,t.chosen?e.findIndex(t.chosen):0),l=u("tbody"),
c=u("tr",{"aria-rowindex":1}),r=u("table",{role:"grid","aria-label":t.label,"aria-rowcount":e.length+1},u("the\
ad",{},c),l),o=u("div",{class:"scroll",tabindex:-1},r);function d(){let b=t.columns[n]?.by;e=b?[...t.rows].sort(
(x,T)=>{let v=b(x),w=b(T);return(v<w?-1:v>w?1:0)*(s?1:-1)}):t.rows}function m(){S(c,...t.columns.map((b,x)=>u(
"th",{scope:"col",class:(b.number?"number":"")+(b.wide?" wide":""),title:b.help,"aria-sort":n===x?s?"ascending":
"descending":void 0},b.by?u("button",{type:"button",click:()=>{s=n===x?!s:!b.number,n=x,d(),m(),i=0,a()}},b.title+
(n===x?s?" \u25B4":" \u25BE":"")):b.title)))}function h(b){let x=u("tr",{"aria-hidden":"true"},u("td",{colspan:t.
columns.length,class:"spacer"}));return x.firstChild.style.height=b*de+"px",x}function a(b=!1){let x=Math.max(
0,Math.floor(o.scrollTop/de)-10),T=Math.min(e.length,x+Math.ceil((o.clientHeight||600)/de)+20),v=[];x>0&&v.push(
h(x));for(let w=x;w<T;w++){let _=e[w],g=u("tr",{"aria-rowindex":w+2,tabindex:w===i?0:-1,"data-row":w,"aria-sel\
ected":t.chosen?.(_)?"true":void 0},...t.columns.map(C=>u("td",{class:(C.number?"number":"")+(C.wide?" wide":"")},
C.cell(_))));v.push(g),b&&w===i&&queueMicrotask(()=>g.focus({preventScroll:!0}))}T<e.length&&v.push(h(e.length-
T)),l.replaceChildren(...v)}function f(b){i=Math.max(0,Math.min(e.length-1,b));let x=i*de;x<o.scrollTop?o.scrollTop=
x:x+2*de>o.scrollTop+o.clientHeight&&(o.scrollTop=x+2*de-o.clientHeight),a(!0)}function p(b){let x=e[b];x===void 0||
!t.choose||(i=b,t.choose(x))}r.addEventListener("click",b=>{let x=b.target.closest("tr[data-row]");x&&!b.target.
closest("button, a")&&p(Number(x.dataset.row))}),r.addEventListener("keydown",b=>{if(!b.target.closest("tbody"))
return;let x=Math.max(1,Math.floor(o.clientHeight/de)-2),T={ArrowDown:i+1,ArrowUp:i-1,PageDown:i+x,PageUp:i-x,
Home:0,End:e.length-1}[b.key];if(T!==void 0)f(T);else if(b.key==="Enter"||b.key===" ")p(i);else return;b.preventDefault(),
b.stopPropagation()});let y=!1;return o.addEventListener("scroll",()=>{y||(y=!0,requestAnimationFrame(()=>{y=!1,
a(l.contains(document.activeElement))}))}),t.choose&&r.classList.add("choosable"),d(),m(),requestAnimationFrame(
()=>a()),a(),o}function B(t,e,n="bar"){let s=u("span",{class:"fill "+n,"aria-hidden":"true"});return s.style.width=
Math.max(0,Math.min(100,t*100))+"%",u("span",{class:"bar"},s,u("span",{class:"value"},e))}var $t=[["p2p","point to point"],["collective","collectives"],["rma","one-sided"],["all","all"]],St=[["bytes",
"bytes"],["messages","messages"]];function Fe(t){let[e="",n=""]=t.split(",");return[$t.some(([s])=>s===e)?e:"p\
2p",St.some(([s])=>s===n)?n:"bytes"]}var Tt={id:"matrix",title:"Matrix",command:t=>["matrix","--kind",Fe(t.detail)[0]],
key:t=>JSON.stringify([t.selection,Fe(t.detail)]),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,[l,c]=Fe(i.detail),
r=await L("matrix",{...z(i),kind:l,bins:64},n,s),o=g=>r.columns.indexOf(g),[d,m,h,a]=[o("from"),o("to"),o("mes\
sages"),o("bytes")],f=r.cells??[],p=r.bins||r.processes,y=r.processes/p,b=g=>r.bins&&y>1?`${Math.ceil(g*y)}-${Math.
ceil((g+1)*y)-1}`:String(g),x=c==="bytes"?a:h,T=g=>c==="bytes"?j(g):c==="messages"?M(g):k(g),v=g=>{let C=[...new Set(
[g[d]??0,g[m]??0])].sort((D,ue)=>D-ue).map(b).join(",");t.store.select({rank:C})},w=vn(f,p,d,m,x,g=>g?`${b(g[d]??
0)} to ${b(g[m]??0)}: ${M(g[h]??0)} messages, ${j(g[a]??0)}`:"",v,T,Math.max(120,e.clientHeight-96)),_=r.totals[l];
return[u("div",{class:"controls"},F("messages ",$t,l,g=>t.store.set({detail:`${g},${c}`})),F("colour ",St,c,g=>t.
store.set({detail:`${l},${g}`})),_&&u("span",{},`${M(_.messages)} messages, ${j(_.bytes)}`+(_.nowhere?`; ${M(_.
nowhere)} to unknown partners`:"")),r.missing>0&&u("span",{class:"bad"},`${M(r.missing)} ranks are not selecte\
d or not recorded: what they send is not known`)),u("div",{class:"columns"},f.length?w:u("p",{class:"empty"},"\
No such messages in the selection."),u("div",{},N({label:"Messages by pairs of ranks",rows:f,sort:c==="bytes"?
3:2,choose:v,columns:[{title:r.bins&&y>1?"senders":"sender",number:!0,by:g=>g[d]??0,cell:g=>b(g[d]??0)},{title:r.
bins&&y>1?"receivers":"receiver",number:!0,by:g=>g[m]??0,cell:g=>b(g[m]??0)},{title:"messages",number:!0,by:g=>g[h]??
0,cell:g=>M(g[h]??0)},{title:"bytes",number:!0,by:g=>g[a]??0,cell:g=>j(g[a]??0)},{title:"mean size",number:!0,
by:g=>(g[a]??0)/(g[h]||1),cell:g=>j((g[a]??0)/(g[h]||1))}]})))]})}};function vn(t,e,n,s,i,l,c,r,o){let d=Math.
max(e,1),m=u("canvas",{width:d,height:d,role:"img","aria-label":"Senders from top to bottom, receivers from le\
ft to right. The table beside it has the same as text."}),h=Math.max(1,...t.map(w=>w[i]??0)),a=Math.min(...t.map(
w=>w[i]||1/0)),f=m.getContext("2d"),p=new Map;if(f){let w=f.createImageData(d,d);for(let _ of t){let[g,C,D]=[_[n]??
0,_[s]??0,_[i]??0];if(p.set(g*d+C,_),!D)continue;let ue=h>a?Math.log(D/a)/Math.log(h/a):1,oe=3*Math.round(255*
Math.max(0,Math.min(1,.06+.94*ue)));w.data.set([I[oe]??0,I[oe+1]??0,I[oe+2]??0,255],4*(g*d+C))}f.putImageData(
w,0,0)}let y=u("p",{class:"under","aria-hidden":"true"},"rows send, columns receive"),b=Math.max(1,Math.min(28,
Math.floor(o/d)));m.style.width=b*d+"px",m.style.height=b*d+"px";let x=w=>p.get(Math.floor(w.offsetY/b)*d+Math.
floor(w.offsetX/b));m.addEventListener("pointermove",w=>S(y,l(x(w))||"rows send, columns receive")),m.addEventListener(
"click",w=>{let _=x(w);_&&c(_)});let T=u("canvas",{class:"ramp",width:256,height:1,"aria-hidden":"true"}),v=T.
getContext("2d");if(v){let w=v.createImageData(256,1);for(let _=0;_<256;_++)w.data.set([I[3*_]??0,I[3*_+1]??0,
I[3*_+2]??0,255],4*_);v.putImageData(w,0,0)}return u("div",{class:"narrow"},u("div",{class:"picture"},m),y,u("\
div",{class:"legend"},u("span",{class:"key"},Number.isFinite(a)?r(a):"",T,r(h))))}var Lt={id:"messages",title:"Messages",command:()=>["messages"],key:t=>JSON.stringify(t.selection),show:(t,e)=>{
E(e,async(n,s)=>{let i=t.store.now,[l,c]=t.window(),r=await L("messages",z(i),n,s),o=await L("arrows",{t0:Math.
floor(l),t1:Math.ceil(c),max:1},n,s).catch(()=>null),d=u("div",{},u("h3",{},`${M(r.messages)} messages, ${j(r.
bytes)}; ${M(r.unmatched_sends)} were never received, ${M(r.unmatched_receives)} receives got none`+(r.incomplete.
length?`; ${M(r.incomplete.length)} collectives lack members`:"")),r.unmatched.length?N({label:"Messages witho\
ut a partner",rows:r.unmatched,choose:a=>t.call(0,a.first.process,0,a.first.call),columns:[{title:"what",by:a=>a.
kind,cell:a=>a.kind},{title:"count",number:!0,by:a=>a.count,cell:a=>M(a.count)},{title:"bytes",number:!0,by:a=>a.
bytes,cell:a=>j(a.bytes)},{title:"ranks",cell:a=>a.processes},{title:"peer",number:!0,cell:a=>a.first.peer??"a\
ny"},{title:"tag",number:!0,cell:a=>a.first.tag??"any"},{title:"why",by:a=>a.reason,cell:a=>a.reason},{title:"\
call",wide:!0,cell:a=>`${a.function} @ ${a.site}`}]}):u("p",{class:"empty"},"Every message has a sender and a \
receiver."),r.incomplete.length?N({label:"Collectives that not all members made",rows:r.incomplete,choose:a=>t.
store.select({function:a.function}),columns:[{title:"missing",number:!0,by:a=>a.missing,cell:a=>`${a.missing} \
of ${a.members}`},{title:"came",cell:a=>"ranks "+a.present},{title:"collective",wide:!0,cell:a=>`${a.function}\
 @ ${a.site}`}]}):null),m=u("div",{},u("h3",{},"To whom, as functions of the rank"),N({label:"Partners as func\
tions of the rank",rows:o?.formulas??[],sort:0,empty:"No partner follows from the rank here.",choose:a=>t.store.
select({function:a.func}),columns:[{title:"calls",number:!0,by:a=>a.calls,cell:a=>M(a.calls)},{title:"formula",
by:a=>a.text,cell:a=>u("code",{},a.text)},{title:"ranks",by:a=>a.ranks,cell:a=>a.ranks},{title:"call",wide:!0,
by:a=>a.func,cell:a=>u("span",{title:a.site},`${a.func} @ ${a.site}`)}]})),h=o?.bundles?.length?u("div",{class:"\
narrow"},u("h3",{},"Pairs of ranks"),N({label:"Messages by pairs of ranks",rows:o.bundles,sort:3,choose:a=>t.store.
select({rank:a.from===a.to?String(a.from):[a.from,a.to].sort((f,p)=>f-p).join(",")}),columns:[{title:"from",number:!0,
by:a=>a.from,cell:a=>a.from},{title:"to",number:!0,by:a=>a.to,cell:a=>a.to},{title:"messages",number:!0,by:a=>a.
messages,cell:a=>M(a.messages)},{title:"bytes",number:!0,by:a=>a.bytes,cell:a=>j(a.bytes)}]})):null;return[u("\
div",{class:"columns"},d,m,...h?[h]:[])]})}};var Pt={id:"comms",title:"Communicators",command:()=>["info","--comms"],key:t=>String(t.selection.comm),show:(t,e)=>{
E(e,async(n,s)=>{let i=await L("comms",{},n,s);return[N({label:"Communicators",rows:i.communicators,chosen:l=>t.
store.now.selection.comm===String(l.id),choose:l=>t.store.select({comm:t.store.now.selection.comm===String(l.id)?
"":String(l.id)}),columns:[{title:"number",number:!0,by:l=>l.id,cell:l=>l.id},{title:"name",by:l=>l.name,cell:l=>l.
name+(l.labels?.length?` (${l.labels.join(", ")})`:"")},{title:"size",number:!0,by:l=>l.size,cell:l=>M(l.size)},
{title:"made",number:!0,by:l=>l.made,cell:l=>M(l.made)},{title:"freed",number:!0,by:l=>l.freed,cell:l=>M(l.freed)},
{title:"made by",by:l=>l.how,cell:l=>l.how},{title:"members",wide:!0,cell:l=>u("span",{title:l.members},l.members)},
{title:"where",wide:!0,by:l=>l.site??"",cell:l=>u("span",{title:l.site??""},l.site??"")}]})]})}},Ct={id:"ranks",
title:"Ranks",command:()=>["report"],key:J,show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,c=(await L("report",
z(i,["rank"]),n,s)).ranks??[],r=Math.max(1,...c.map(o=>Math.max(o.mpi_ns,o.computation_ns)));return[N({label:"\
Ranks",rows:c,empty:"There are no times in the selection.",chosen:o=>i.selection.rank===String(o.process),choose:o=>t.
store.select({rank:i.selection.rank===String(o.process)?"":String(o.process)}),columns:[{title:"rank",number:!0,
by:o=>o.process,cell:o=>o.process},{title:"computation",number:!0,by:o=>o.computation_ns,cell:o=>B(o.computation_ns/
r,k(o.computation_ns))},{title:"in calls",number:!0,by:o=>o.mpi_ns,cell:o=>B(o.mpi_ns/r,k(o.mpi_ns),"warm")},{
title:"share in calls",number:!0,by:o=>o.mpi_ns/(o.mpi_ns+o.computation_ns||1),cell:o=>H(o.mpi_ns/(o.mpi_ns+o.
computation_ns||1))},{title:"calls",number:!0,by:o=>o.calls,cell:o=>M(o.calls)},{title:"begins",number:!0,by:o=>o.
begin_ns,cell:o=>k(o.begin_ns)},{title:"ends",number:!0,by:o=>o.end_ns,cell:o=>k(o.end_ns)},{title:"",wide:!0,
cell:()=>""}]})]})}},Et={id:"steps",title:"Steps",command:()=>["report"],key:t=>JSON.stringify([t.selection.steps,
t.selection.step_loop]),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,l=await L("steps",{step_loop:i.selection.
step_loop},n,s),c=new Map((l.slow??[]).map(m=>[Math.floor(m.step/l.stride),m])),r=l.begin_ns.map((m,h)=>({i:h,
begin:m,length:l.length_ns[h]??0,mean:l.mean_ns[h]??0,work:l.computation_ns[h]??0,slow:c.get(h)})),o=Math.max(
1,...r.map(m=>m.length)),d=m=>l.stride>1?`${m*l.stride}-${Math.min(l.total,(m+1)*l.stride)-1}`:String(m);return[
u("h3",{},`${M(l.total)} time steps${l.loop?" of the loop at "+l.loop:l.region?" (region "+l.region+")":""}, m\
edian ${k(l.median_ns)}`),N({label:"Time steps",rows:r,empty:"No time steps were found.",chosen:m=>i.selection.
steps===d(m.i),choose:m=>t.store.select({steps:i.selection.steps===d(m.i)?"":d(m.i),time:""}),columns:[{title:"\
step",number:!0,by:m=>m.i,cell:m=>d(m.i)},{title:"begins",number:!0,by:m=>m.begin,cell:m=>`${(m.begin/1e9).toFixed(
6)} s`},{title:"slowest rank",number:!0,by:m=>m.length,cell:m=>B(m.length/o,k(m.length),m.slow?"warm":"bar")},
{title:"mean",number:!0,by:m=>m.mean,cell:m=>k(m.mean)},{title:"most computation",number:!0,by:m=>m.work,cell:m=>k(
m.work)},{title:"too long by",number:!0,by:m=>m.slow?.excess_ns??0,cell:m=>m.slow?k(m.slow.excess_ns):""},{title:"\
because of",wide:!0,by:m=>m.slow?.cause??"",cell:m=>m.slow?`${m.slow.cause}${m.slow.process>=0?`, rank ${m.slow.
process}`:""}`:""}]})]})}},Rt={id:"outliers",title:"Odd ranks",command:()=>["outliers"],key:J,show:(t,e)=>{E(e,
async(n,s)=>{let i=await L("outliers",z(t.store.now),n,s);return[N({label:"Ranks that did something else than \
the others",rows:i.outliers,empty:`All ranks do what others do too (${M(i.variants.length)} ${i.variants.length===
1?"variant":"variants"} of calls).`,choose:l=>{let c=i.variants[l.variant]?.ranks??"",r=/^\d+/.exec(c)?.[0];t.
store.select({rank:c}),r&&t.call(0,Number(r),0,l.call)},columns:[{title:"ranks",by:l=>i.variants[l.variant]?.ranks??
"",cell:l=>i.variants[l.variant]?.ranks??""},{title:"like",cell:l=>i.variants[l.of]?`to ${i.variants[l.of]?.ranks}`:
""},{title:"how",by:l=>l.kind,cell:l=>l.kind},{title:"differences",number:!0,by:l=>l.differences,cell:l=>M(l.differences)},
{title:"what",wide:!0,by:l=>l.what,cell:l=>u("span",{title:l.what},l.what)}]})]})}},At={id:"compare",title:"Co\
mpare",command:()=>["diff"],key:J,show:(t,e)=>{E(e,async(n,s)=>{let i=await L("diff",z(t.store.now),n,s),l=i.times,
c=Math.max(1,...(l?.sites??[]).map(r=>Math.abs(r.b_ns-r.a_ns)));return[u("div",{class:"columns"},u("div",{},u(
"h3",{},i.same?"No differences in calls":`${M(i.total_differences)} differences in calls`),N({label:"Differenc\
es",rows:i.differences,empty:"Both made the same calls.",choose:r=>{let o=r.loops?.find(m=>m.step),d=/^\d+/.exec(
r.ranks)?.[0];t.store.select({rank:r.ranks,...o?{steps:String(o.iteration),time:""}:{}}),d&&!o&&t.call(r.world??
0,Number(d),r.thread??0,r.call_a)},columns:[{title:"kind",by:r=>r.kind,cell:r=>r.kind},{title:"ranks",by:r=>r.
num_ranks,cell:r=>r.ranks},{title:"step",number:!0,by:r=>r.loops?.find(o=>o.step)?.iteration??-1,cell:r=>r.loops?.
find(o=>o.step)?.iteration??""},{title:"what",wide:!0,cell:r=>u("span",{title:r.text},r.text)}]})),u("div",{},
u("h3",{},l?`time ${k(l.elapsed_a_ns)} and ${k(l.elapsed_b_ns)}`:"no times"),l?N({label:"Time by call site in \
both",rows:l.sites,choose:r=>t.store.select({function:r.func}),columns:[{title:"second takes more",number:!0,by:r=>r.
b_ns-r.a_ns,cell:r=>B(Math.abs(r.b_ns-r.a_ns)/c,(r.b_ns>r.a_ns?"+":"")+k(r.b_ns-r.a_ns),r.b_ns>r.a_ns?"warm":"\
bar")},{title:"first",number:!0,by:r=>r.a_ns,cell:r=>k(r.a_ns)},{title:"second",number:!0,by:r=>r.b_ns,cell:r=>k(
r.b_ns)},{title:"call",wide:!0,by:r=>r.func,cell:r=>u("span",{title:r.site??""},`${r.func} @ ${r.site??""}`)}]}):
null),...i.notes?.length?[u("div",{class:"narrow"},...i.notes.map(r=>u("p",{class:"empty"},r)))]:[])]})}};var Ot=[["site","call site"],["function","function"],["comm","communicator"],["rank","rank"]];function Ue(t){return Ot.
some(([e])=>e===t)?t:"site"}var Ht={id:"sites",title:"Call sites",command:t=>["profile","--by",Ue(t.detail)],key:t=>J(
t)+Ue(t.detail),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,l=Ue(i.detail),c=await L("profile",{...z(i),by:l},
n,s),r=h=>u("div",{class:"controls"},F("by ",Ot,l,a=>t.store.set({detail:a==="site"?"":a})),u("span",{class:"n\
ote",role:"status"},h));if(l!=="site"||!t.overview.timed)return[r(""),Le(t,c,null,l)];let o=h=>{e.firstElementChild?.
classList.contains("controls")&&S(e.firstElementChild.lastElementChild,h)},d=L("waits",z(i),n,h=>o(`waiting is\
 worked out: ${h.what} \u2026`)).catch(()=>null),m=await Promise.race([d,new Promise(h=>setTimeout(()=>h(void 0),
700))]);return m!==void 0?[r(""),Le(t,c,m,l)]:(d.then(h=>{n.aborted||S(e,r(h?"":"waiting is not known"),Le(t,c,
h,l))}),[r("waiting is worked out \u2026"),Le(t,c,null,l)])})}};function Le(t,e,n,s){let i=t.store.now,l=new Map,
c=new Map;for(let a of n?.causes??[])Nt(l,a.late.func+" @ "+a.late.site,a.time_ns);for(let a of n?.waits??[])Nt(
c,a.waiting.func+" @ "+a.waiting.site,a.time_ns);let r=e.rows.map(a=>{let f=Z(a.site),p=`${a.func} @ ${f}`;return{
...a,where:f,name:yn(a),caused:l.get(p)??0,waited:c.get(p)??0}}),o=e.elapsed_ns??0,d=e.time_ns!==void 0,m=Math.
max(1,...r.map(a=>a.times?.total_ns??0)),h=Math.max(1,...r.map(a=>a.caused));return N({label:"Calls, by "+s,rows:r,
sort:n||d?0:1,chosen:a=>s==="rank"?i.selection.rank===String(a.rank):s==="comm"?i.selection.comm===String(a.comm?.
id):!!a.func&&i.selection.function===a.func,choose:a=>{s==="rank"?t.store.select({rank:i.selection.rank===String(
a.rank)?"":String(a.rank)}):s==="comm"?t.store.select({comm:i.selection.comm===String(a.comm?.id)?"":String(a.
comm?.id)}):a.func&&t.store.select({function:i.selection.function===a.func?"":a.func})},columns:[...n?[{title:"\
causes waiting",number:!0,by:a=>a.caused||a.waited/1e9,help:"waiting of other ranks that goes back to ranks co\
ming late to these calls",cell:a=>a.caused?B(a.caused/h,k(a.caused),"warm"):""}]:[],...d?[{title:"time",number:!0,
by:a=>a.times?.total_ns??0,cell:a=>B((a.times?.total_ns??0)/m,k(a.times?.total_ns??0))},{title:"share",number:!0,
by:a=>a.times?.total_ns??0,help:"of the time of all ranks",cell:a=>H((a.times?.total_ns??0)/(s==="rank"?a.elapsed_ns||
1:o||1))}]:[],...n?[{title:"waiting in it",number:!0,by:a=>a.waited,cell:a=>a.waited?k(a.waited):""}]:[],{title:"\
calls",number:!0,by:a=>a.calls,cell:a=>M(a.calls)},...d?[{title:"mean",number:!0,by:a=>a.times?.mean_ns??0,cell:a=>a.
times?k(a.times.mean_ns):""},{title:"longest",number:!0,by:a=>a.times?.max_ns??0,cell:a=>a.times?k(a.times.max_ns):
""}]:[],{title:"bytes",number:!0,by:a=>a.bytes,cell:a=>a.bytes?j(a.bytes):""},...s==="site"||s==="function"?[{
title:"ranks",number:!0,by:a=>a.ranks,cell:a=>M(a.ranks)}]:[],{title:s==="site"?"function":s,by:a=>s==="rank"?
a.rank??0:a.name,cell:a=>a.name},...s==="site"?[{title:"call site",wide:!0,by:a=>a.where,cell:a=>u("span",{title:a.
where},a.where||"unknown")}]:[]]})}function yn(t){return t.comm?t.comm.name:t.rank!==void 0?(t.world?`w${t.world}\
:`:"")+t.rank:t.func??""}function Nt(t,e,n){t.set(e,(t.get(e)??0)+n)}var jt=[["causes","causes"],["places","where they wait"],["ranks","ranks"],["steps","time steps"]];function Dt(t){
let e={view:"causes"};for(let n of t.split(",")){let[s="",i]=n.split(":");s==="cause"&&i?e.cause=i:s==="kind"&&
i?e.kind=i:jt.some(([l])=>l===s)&&(e.view=s)}return e}function xn(t){return[t.view,t.cause&&"cause:"+t.cause,t.
kind&&"kind:"+t.kind].filter(Boolean).join(",")}var zt={id:"waits",title:"Waits",command:t=>{let e=Dt(t.detail);return["waits",...e.cause?["--cause",e.cause]:
[],...e.kind?["--kind",e.kind]:[]]},key:t=>JSON.stringify([t.selection,t.detail]),show:(t,e)=>{E(e,async(n,s)=>{
let i=t.store.now,l=Dt(i.detail),c=z(i,l.cause?["rank"]:[]),r=await L("waits",{...c,cause:l.cause,kind:l.kind},
n,s),o=a=>t.store.set({detail:xn({...l,...a})}),d=Object.entries(r.kinds).filter(([,a])=>a.count>0).sort((a,f)=>f[1].
time_ns-a[1].time_ns),m=Math.max(1,...d.map(([,a])=>a.time_ns)),h=u("div",{class:"narrow"},u("h3",{},`${k(r.total.
time_ns)} in ${M(r.total.count)} waits, ${H(r.total.time_ns/(r.elapsed_ns||1))} of the time`),N({label:"Kinds \
of waits",rows:d,empty:"Nobody waits for anybody in the selection.",chosen:([a])=>l.kind===a.replaceAll(" ","-"),
choose:([a])=>o({kind:l.kind===a.replaceAll(" ","-")?"":a.replaceAll(" ","-")}),columns:[{title:"pattern",by:([
a])=>a,cell:([a])=>a},{title:"waits",number:!0,by:([,a])=>a.count,cell:([,a])=>M(a.count)},{title:"time",number:!0,
by:([,a])=>a.time_ns,cell:([,a])=>B(a.time_ns/m,k(a.time_ns),"warm")}]}));return[u("div",{class:"controls"},F(
"show ",jt,l.view,a=>o({view:a})),l.cause!==void 0&&u("span",{},`only what rank ${l.cause} causes `,u("button",
{type:"button",click:()=>o({cause:""})},"show all")),l.kind!==void 0&&u("span",{},`only ${l.kind.replaceAll("-",
" ")} `,u("button",{type:"button",click:()=>o({kind:""})},"show all"))),u("div",{class:"columns"},h,u("div",{},
kn(r,l.view,t)))]})}};function kn(t,e,n){let s=r=>n.store.select({steps:String(r),time:""}),i=(r,o=-1)=>n.store.
select(o>=0?{rank:String(r),steps:String(o),time:""}:{rank:String(r)},{detail:`causes,cause:${r}`}),l=r=>u("sp\
an",{title:r},r);if(e==="places"){let r=Math.max(1,...t.waits.map(o=>o.time_ns));return N({label:"Where ranks \
wait",rows:t.waits,choose:o=>n.store.select({function:o.waiting.func}),columns:[{title:"time",number:!0,by:o=>o.
time_ns,cell:o=>B(o.time_ns/r,k(o.time_ns),"warm")},{title:"waits",number:!0,by:o=>o.count,cell:o=>M(o.count)},
{title:"longest",number:!0,by:o=>o.max_ns,cell:o=>k(o.max_ns)},{title:"pattern",by:o=>o.kind,cell:o=>o.kind},{
title:"waiting most",by:o=>o.waiters?.[0]?.process??-1,cell:o=>o.waiters?.[0]?`rank ${o.waiters[0].process}`:""},
{title:"for",by:o=>o.causers?.[0]?.process??-1,cell:o=>o.causers?.[0]?`rank ${o.causers[0].process}`:""},{title:"\
waiting in",wide:!0,by:o=>o.waiting.site,cell:o=>l(`${o.waiting.func} @ ${o.waiting.site}`)},{title:"late in",
wide:!0,by:o=>o.late.site,cell:o=>l(`${o.late.func} @ ${o.late.site}`)}]})}if(e==="ranks"){let r=Math.max(1,...t.
processes.map(d=>d.root_ns)),o=d=>Object.values(d.waited_ns).reduce((m,h)=>m+h,0);return N({label:"Ranks by th\
e waiting that goes back to them",rows:t.processes,sort:1,choose:d=>i(d.process),columns:[{title:"rank",number:!0,
by:d=>d.process,cell:d=>d.process},{title:"goes back to it",number:!0,by:d=>d.root_ns,cell:d=>B(d.root_ns/r,k(
d.root_ns),"warm")},{title:"others wait for it",number:!0,by:d=>d.caused_ns,cell:d=>k(d.caused_ns)},{title:"it\
 waits",number:!0,by:o,cell:d=>k(o(d))},{title:"mostly",wide:!0,cell:d=>Object.entries(d.waited_ns).sort((m,h)=>h[1]-
m[1])[0]?.[0]??""}]})}if(e==="steps"){let r=Math.max(1,...t.steps.map(o=>o.time_ns));return N({label:"Waiting \
by time step",rows:t.steps,sort:1,empty:"No time steps were found.",choose:o=>s(o.step),columns:[{title:"step",
number:!0,by:o=>o.step,cell:o=>M(o.step)},{title:"waiting",number:!0,by:o=>o.time_ns,cell:o=>B(o.time_ns/r,k(o.
time_ns),"warm")},{title:"because of",number:!0,by:o=>o.cause_ns,cell:o=>o.cause>=0?k(o.cause_ns):""},{title:"\
mostly because",wide:!0,cell:o=>{let d=t.causes[o.cause];return d?l(`rank ${d.process} comes late to ${d.late.
func} @ ${d.late.site}`):""}}]})}let c=Math.max(1,...t.causes.map(r=>r.time_ns));return N({label:"Causes of wa\
iting",rows:t.causes,choose:r=>i(r.process,r.worst_step),columns:[{title:"waiting",number:!0,by:r=>r.time_ns,cell:r=>B(
r.time_ns/c,k(r.time_ns),"warm")},{title:"waits",number:!0,by:r=>r.waits,cell:r=>M(r.waits)},{title:"late rank",
number:!0,by:r=>r.process,cell:r=>r.process},{title:"worst step",number:!0,by:r=>r.worst_step,cell:r=>r.worst_step>=
0?`${M(r.worst_step)} (${k(r.worst_step_ns)})`:""},{title:"comes late to",wide:!0,by:r=>r.late.site,cell:r=>l(
`${r.late.func} @ ${r.late.site}`)}]})}function It(t,e,n,s){let i=[n[0]],l=[s[0]],c=t&&e&&t.stride===e.stride?Math.min(t.begin_ns.length,e.begin_ns.length):
0;for(let r=0;r<c;r++){let o=t?.begin_ns[r]??0,d=e?.begin_ns[r]??0;o>(i.at(-1)??0)&&d>(l.at(-1)??0)&&(i.push(o),
l.push(d))}return i.push(Math.max(n[1],(i.at(-1)??0)+1)),l.push(Math.max(s[1],(l.at(-1)??0)+1)),r=>{let o=0,d=i.
length-2;for(;o<d;){let p=o+d+1>>1;(i[p]??0)<=r?o=p:d=p-1}let[m=0,h=1,a=0,f=1]=[i[o],i[o+1],l[o],l[o+1]];return a+
(r-m)/(h-m)*(f-a)}}async function Be(t,e,n,s,i){let l=await O("overview",{rec:1});if(!l.grid||!t.overview.grid)
return;let c=await O("steps",{rec:1}).catch(()=>{}),r=[t.overview.grid.from_ns,t.overview.grid.to_ns],o=[l.grid.
from_ns,l.grid.to_ns],d=new fe({rec:1,overview:l,store:t.store,own:It(i,c,r,o),shared:It(c,i,o,r)});d.element.
classList.add("second"),n.append(u("h2",{},`${l.name}: coupled with the first by ${i?.total&&c?.total?"iterati\
on":"time"}`),d.element),s.push(d),c&&d.setSteps(c),_n(t,e,d)}var Mn=40;async function _n(t,e,n){let s=await O(
"diff").catch(()=>null);for(let i of s?.differences.slice(0,Mn)??[]){let l=Number(/^\d+/.exec(i.ranks)?.[0]??-1);
if(l<0)continue;let c=i.loops?.find(o=>o.step),r=()=>t.store.select({rank:i.ranks,...c?{steps:String(c.iteration),
time:""}:{}},{panel:"compare"});for(let[o,d,m]of[[0,e,i.call_a],[1,n,i.call_b]]){let a=(await O("calls",{rec:o||
void 0,rank:l,thread:i.thread||void 0,from:m,limit:1}).catch(()=>null))?.calls[0]?.start_ns;a!==void 0&&(d.markers.
push({at:a,rank:l,text:i.text,choose:r}),d.draw())}}}function Kt(t){let e=u("ul",{class:"hits",id:"hits",role:"listbox","aria-label":"What was found",hidden:!0}),n=u(
"input",{type:"search",placeholder:"search  ( / )","aria-label":"Search functions, call sites, ranks, values",
role:"combobox","aria-controls":"hits","aria-expanded":"false",autocomplete:"off",spellcheck:"false",disabled:q}),
s=[],i=-1,l=new AbortController,c=0;function r(){e.hidden=!0,n.setAttribute("aria-expanded","false"),i=-1}function o(){
[...e.children].forEach((h,a)=>{h.setAttribute("aria-selected",String(a===i)),a===i&&h.scrollIntoView({block:"\
nearest"})}),i>=0?n.setAttribute("aria-activedescendant",`hit${i}`):n.removeAttribute("aria-activedescendant")}
function d(h){r(),n.blur();let a={};for(let[f,p]of Object.entries(h.select??{}))X.includes(f)&&(a[f]=p);t.store.
select(a),h.rank>=0&&(h.kind==="value"||h.kind==="site")&&t.call(0,h.rank,h.thread,h.call),t.say(`${h.kind} ${h.
text} selected`)}async function m(h){l.abort(),l=new AbortController;let a=l;if(!h)return r();e.hidden=!1,n.setAttribute(
"aria-expanded","true");try{let f=await O("search",{q:h,limit:50},{signal:a.signal,pending:p=>S(e,u("li",{},p.
what+" \u2026"))});if(a.signal.aborted)return;s=f.hits??[],i=s.length?0:-1,S(e,...s.map((p,y)=>u("li",{role:"o\
ption",id:`hit${y}`,pointerdown:b=>{b.preventDefault(),d(p)}},u("span",{class:"kind"},p.kind),u("span",{class:"\
text",title:p.text},p.text),u("span",{},p.calls?M(p.calls):""))),s.length?null:u("li",{},"Nothing is called th\
at."),f.more?u("li",{class:"kind"},"There is more: write more of it."):null),o()}catch(f){a.signal.aborted||S(
e,u("li",{class:"bad"},f instanceof Error?f.message:String(f)))}}return n.addEventListener("input",()=>{clearTimeout(
c),c=setTimeout(()=>{m(n.value.trim())},120)}),n.addEventListener("blur",r),n.addEventListener("keydown",h=>{let a=s.
length;if(h.key==="ArrowDown"&&a)i=(i+1)%a;else if(h.key==="ArrowUp"&&a)i=(i+a-1)%a;else if(h.key==="Enter"&&s[i])
d(s[i]);else if(h.key==="Escape")r(),n.blur();else return;h.preventDefault(),o()}),{element:u("div",{class:"se\
arch"},n,e),focus:()=>{n.focus(),n.select()}}}var G=54,Q=78,Pe=class{constructor(e){this.store=e;this.element=u("div",{class:"strip"},this.canvas,this.tip),
new ResizeObserver(()=>this.draw()).observe(this.element),addEventListener("themechange",()=>this.draw()),e.listen(
(s,i)=>{s.selection.steps!==i.selection.steps&&this.draw()});let n=this.canvas;n.addEventListener("pointerdown",
s=>{n.setPointerCapture(s.pointerId),this.drag={x:s.offsetX,x1:s.offsetX}}),n.addEventListener("pointermove",s=>{
this.drag?(this.drag.x1=s.offsetX,this.draw()):this.point(s.offsetX)}),n.addEventListener("pointerleave",()=>this.
tip.hidden=!0),n.addEventListener("pointerup",()=>{let s=this.drag;this.drag=void 0;let i=this.steps;if(!s||!i?.
begin_ns.length)return;let[l,c]=[this.at(Math.min(s.x,s.x1)),this.at(Math.max(s.x,s.x1))],r=Math.min(i.total-1,
(c+1)*i.stride-1),o=l*i.stride;e.select({steps:o===r?String(o):`${o}-${r}`,time:""})})}store;element;canvas=u(
"canvas",{tabindex:0,role:"img"});tip=u("div",{class:"tip",hidden:!0});steps;width=0;waiting=!1;drag;show(e){this.
steps=e;let n=e.slow?.length??0;this.canvas.setAttribute("aria-label",`Durations of ${K(e.total,"time step")},\
 median ${k(e.median_ns)}, ${K(n,"step")} unusually long. The table Steps has the same as text.`),this.draw()}none(e){
S(this.element,u("p",{class:"empty"},e))}at(e){let n=this.steps?.begin_ns.length??1;return Math.max(0,Math.min(
n-1,Math.floor((e-Q)/(this.width-Q)*n)))}draw(){this.waiting||(this.waiting=!0,requestAnimationFrame(()=>{this.
waiting=!1,this.paint()}))}paint(){let e=this.steps;if(this.width=this.element.clientWidth,!e||!this.width)return;
let n=devicePixelRatio||1;this.canvas.width=this.width*n,this.canvas.height=G*n,this.canvas.style.width=this.width+
"px",this.canvas.style.height=G+"px";let s=this.canvas.getContext("2d");if(!s)return;s.setTransform(n,0,0,n,0,
0),s.fillStyle=P("paper"),s.fillRect(0,0,this.width,G);let i=e.length_ns.length;if(!i)return;let l=[...e.length_ns].
sort((a,f)=>a-f),c=Math.min(l[i-1]??1,Math.max((l[Math.floor(i*.99)]??1)*1.5,e.median_ns*4)),r=new Set((e.slow??
[]).map(a=>Math.floor(a.step/e.stride))),o=le(this.store.now.selection.steps,e.total),d=this.width-Q,m=a=>G-2-
Math.min(1,a/c)*(G-8),h=d/i;for(let a=0;a<i;a++){let f=Q+a*h,p=e.length_ns[a]??0,y=o&&(a*e.stride+e.stride-1<o[0]||
a*e.stride>o[1]);s.globalAlpha=y?.35:1,s.fillStyle=r.has(a)?P("bad"):P("step");let b=Math.max(h-(h>4?1:0),r.has(
a)?2:.6);if(s.fillRect(f,m(p),b,G-m(p)),h>2){s.fillStyle=P("stepwork");let x=m(e.computation_ns[a]??0);s.fillRect(
f,x,b,G-x)}p>c&&(s.fillStyle=P("paper"),s.fillRect(f,10,b,2))}s.globalAlpha=1,s.strokeStyle=P("accent"),s.setLineDash(
[3,3]),s.beginPath(),s.moveTo(Q,m(e.median_ns)+.5),s.lineTo(this.width,m(e.median_ns)+.5),s.stroke(),s.setLineDash(
[]),s.fillStyle=P("faint"),s.font="11px system-ui, DejaVu Sans, sans-serif",s.textAlign="right",s.fillText(k(c),
Q-6,14),s.fillText("steps",Q-6,G-6),Math.abs(m(e.median_ns)-14)>14&&Math.abs(m(e.median_ns)-G+6)>14&&s.fillText(
"median",Q-6,m(e.median_ns)+4),this.drag&&(s.fillStyle=P("select"),s.fillRect(Math.min(this.drag.x,this.drag.x1),
0,Math.abs(this.drag.x1-this.drag.x),G))}point(e){let n=this.steps;if(!n?.begin_ns.length||e<Q){this.tip.hidden=
!0;return}let s=this.at(e),i=(n.slow??[]).find(c=>Math.floor(c.step/n.stride)===s),l=s*n.stride;S(this.tip,u("\
b",{},n.stride>1?`steps ${l}-${Math.min(n.total,l+n.stride)-1}`:`step ${l}`),u("div",{},`${k(n.length_ns[s]??0)}\
, computation ${k(n.computation_ns[s]??0)}`),u("div",{},`median of all ${k(n.median_ns)}`),i&&u("div",{class:"\
bad"},`${k(i.excess_ns)} too long: ${i.cause}${i.process>=0?`, rank ${i.process}`:""}`)),this.tip.hidden=!1,this.
tip.style.left=Math.min(e+12,this.width-this.tip.offsetWidth-4)+"px",this.tip.style.top="4px"}};var $=new we;async function $n(){let t;try{t=await O("overview")}catch(e){document.body.replaceChildren(u("p",
{class:"fatal",role:"alert"},ne(e)));return}document.title=te(t.name)+" - tabard",Sn(t)}function Sn(t){let e=u(
"span",{class:"status",role:"status"}),n=h=>S(e,h),s,i=[],l=()=>i[0],c=[t.grid?.from_ns??0,t.grid?.to_ns??1],r={
store:$,overview:t,say:n,steps:()=>s,look:(h,a)=>{let f=l();f&&f.look(h,a,f.view[2],f.view[3],!1)},call:(h,a,f,p)=>$.
set({call:[h,a,f,p],panel:"call"}),window:()=>be($.now.selection.time,...c)??c},o=Kt(r),d=[Ht,zt,gt,Lt,Tt,kt,yt,
vt,Ct,Et,Pt,Rt];t.recordings>1&&d.push(At);let m=u("div",{class:"maps"});if(t.grid&&t.timed){let h=new Pe($),a=new fe(
{rec:0,overview:t,store:$});i.push(a),m.append(u("div",{class:"bar-of-map"},F("colour ",lt,$.now.color,f=>$.set(
{color:f})),F("order ",t.grid.orders.map(f=>[f,f==="mpi"?"time in calls":f==="wait"?"waiting":f]),$.now.order,
f=>$.set({order:f,view:void 0})),ct($,a)),h.element,a.element),O("steps").then(f=>{if(s=f,!f.total)return h.none(
"No time steps were found in this run (see tabard loops).");h.show(f),a.setSteps(f),t.recordings>1&&Be(r,a,m,i,
f)},f=>{h.none(ne(f)),t.recordings>1&&Be(r,a,m,i,void 0)})}else m.append(u("p",{class:"empty"},"This recording\
 has no times of calls, so that there is no map. The tables below are complete."));document.body.replaceChildren(
u("div",{},u("a",{href:"#panel",class:"skip",click:h=>{h.preventDefault(),document.getElementById("panel")?.focus()}},
"skip to the tables"),Tn(t,o.element,r,d),nt(r),Pn(n),st(t)),u("main",{},m,it(r)),En(),Cn(d,r),u("footer",{},e,
u("span",{},t.version)));for(let h of document.querySelectorAll(".panel"))h.id="panel";Nn(r,o.focus,i,d,c),addEventListener(
"jump",h=>{Ce(h.detail,r,c)}),Object.assign(window,{tabard:{frames:()=>i.flatMap(h=>h.frames),first:()=>i[0]?.
firstPicture??NaN,calls:()=>i[0]?.callsDrawn()??[],near:h=>i[0]?.near(h)}})}function Tn(t,e,n,s){let i=(l,c,r)=>u(
"button",{type:"button",title:c,"aria-label":c,click:r},l);return u("header",{},u("h1",{title:t.name},t.name),
u("span",{class:"what",title:`${t.command.join(" ")}
${t.mpi}`},`${t.command.join(" ")} \u2014 ${K(t.hosts,"host")}, ${t.created.slice(0,16).replace("T"," ")}`),e,
i("\u21B6","Undo (U)",()=>$.undo()),i("\u21B7","Redo (Shift+U)",()=>$.redo()),i("copy as command","Copy as com\
mand (C)",()=>{Ut(n,s)}),i("export","Export the selection (E)",()=>Bt(n,s)),i("\u25D0","Dark or light (T)",Ft),
i("?","Help (?)",Ae))}function Ft(){let t=document.documentElement.dataset.theme??(matchMedia("(prefers-color-\
scheme: dark)").matches?"dark":"light");document.documentElement.dataset.theme=t==="dark"?"light":"dark",dispatchEvent(
new Event("themechange"))}var We={rank:"ranks",function:"functions",comm:"communicator",time:"time",in:"region",
steps:"steps",step_loop:"step loop"},Ln={rank:"0,4-7",function:"p2p,MPI_Allreduce",comm:"0",time:"10%..30%",in:"\
solve",steps:"10-19",step_loop:"100"};function Pn(t){let e=new Map,n=u("section",{class:"selection","aria-labe\
l":"Selection"}),s=u("button",{type:"button",title:"Select everything (Esc)",click:()=>$.set({selection:{}})},
"clear");for(let l of X){if(l==="step_loop")continue;let c=u("input",{placeholder:"all",title:`${We[l]}, e.g. ${Ln[l]}`,
"aria-label":We[l],spellcheck:"false",autocomplete:"off"});c.addEventListener("change",()=>$.select({[l]:c.value.
trim()})),c.addEventListener("keydown",r=>{r.key==="Escape"&&c.blur()}),e.set(l,c),n.append(u("label",{class:l},
We[l],c))}n.append(s);let i=()=>{for(let[l,c]of e)c.value=$.now.selection[l]??"",c.classList.toggle("set",!!$.
now.selection[l]);s.disabled=!Object.keys($.now.selection).length};return $.listen((l,c)=>{i(),l.selection!==c.
selection&&t(Object.keys(l.selection).length?"selected: "+De(l.selection):"everything is selected")}),i(),n}function Cn(t,e){
let n=u("div",{role:"tablist","aria-label":"Panels"}),s=u("div",{class:"panel",role:"tabpanel",tabindex:-1}),i="",
l=()=>t.find(d=>d.id===$.now.panel)??t[0],c=d=>$.set({panel:d.id,detail:""}),r=t.map(d=>u("button",{type:"butt\
on",role:"tab",id:"tab-"+d.id,click:()=>c(d)},d.title));n.append(...r),n.addEventListener("keydown",d=>{let m=t.
indexOf(l()),h={ArrowRight:m+1,ArrowLeft:m-1,Home:0,End:t.length-1}[d.key],a=h===void 0?void 0:t[(h+t.length)%
t.length];a&&(d.preventDefault(),d.stopPropagation(),c(a),r[t.indexOf(a)]?.focus())});let o=()=>{let d=l();t.forEach(
(a,f)=>{r[f]?.setAttribute("aria-selected",String(a===d)),r[f]?.setAttribute("tabindex",a===d?"0":"-1")}),s.setAttribute(
"aria-labelledby","tab-"+d.id);let m=d.id+d.key($.now);if(m===i)return;let h=s.contains(document.activeElement);
i=m,d.show(e,s),h&&s.focus()};return $.listen(o),addEventListener("themechange",()=>{i="",o()}),o(),u("section",
{class:"bottom","aria-label":"Panels"},n,s)}function En(){let t=u("button",{type:"button",class:"grip","aria-l\
abel":"Move the border between map and tables: up and down keys"}),e=n=>document.body.style.setProperty("--bot\
tom",Math.max(80,Math.min(innerHeight-330,n))+"px");return t.addEventListener("pointerdown",n=>t.setPointerCapture(
n.pointerId)),t.addEventListener("pointermove",n=>{t.hasPointerCapture(n.pointerId)&&e(innerHeight-n.clientY-22)}),
t.addEventListener("keydown",n=>{let s={ArrowUp:30,ArrowDown:-30}[n.key];s&&(n.stopPropagation(),n.preventDefault(),
e((document.querySelector(".bottom")?.clientHeight??264)+s))}),t}function Rn(t,e){let n=e.find(c=>c.id===$.now.
panel)??e[0],[s="report",...i]=n.command($.now),l=!["info","dump"].includes(s);return["tabard",s,he(t.overview.
name),...i.map(he),l?De($.now.selection):""].filter(Boolean).join(" ")}async function Ut(t,e){ge("The tabard l\
ine that prints the same",Rn(t,e),t.say)}function Bt(t,e){let n=t.overview.name.replace(/\.tabard$/,""),s=e.find(
i=>i.id===$.now.panel)??e[0];Ze([{text:`save what \u201C${s.title}\u201D shows as text (.csv)`,run:()=>Ne(`${n}\
-${s.id}.csv`,new Blob([An()],{type:"text/csv"}))},{text:"save the picture of the map (.png)",run:()=>document.
querySelector(".map canvas")?.toBlob(i=>i&&Ne(`${n}.png`,i))},{text:"copy the link to this view",run:()=>ge("T\
he link to this view",$.link,t.say)},{text:"copy the line that writes the selection in the format of another t\
ool",run:()=>ge("Export",["tabard export",he(t.overview.name),...["rank","time","steps"].filter(i=>$.now.selection[i]).
map(i=>`--${i} ${he($.now.selection[i]??"")}`)].join(" "),t.say)}])}function An(){let t=e=>{let n=(e.textContent??
"").trim(),s=/^[=+@\t\r-]/.test(n)&&!/^[-+]?[\d.]/.test(n)?"'"+n:n;return/[",\n]/.test(s)?'"'+s.replaceAll('"',
'""')+'"':s};return[...document.querySelectorAll(".panel table")].map(e=>[...e.querySelectorAll("tr:not([aria-\
hidden])")].map(n=>[...n.children].map(t).join(",")).join(`
`)).join(`

`)+`
`}async function Ce(t,e,n){let s=e.steps();if(!s?.total)return e.say("No time steps were found in this run.");
t=Math.max(0,Math.min(s.total-1,t));let i=s.begin_ns[Math.floor(t/s.stride)]??n[0],l=i+(s.length_ns[Math.floor(
t/s.stride)]??0);if(!q)try{let o=await O("step",{k:t});[i,l]=[o.begin_ns,o.end_ns]}catch{}let c=$.now.view,r=Math.
max(1,l-i)*.04;$.select({steps:String(t),time:""},{view:[i-r,l+r,c?.[2]??0,c?.[3]??e.overview.grid?.lines??1]})}
function qe(t,e){let n=t.steps();if(!n)return 0;let s=le($.now.selection.steps,n.total);if(s)return s[0];let i=$.
now.view,l=i?(i[0]+i[1])/2:e[0],c=-1;for(let r of n.begin_ns){if(r>l)break;c++}return c*n.stride}function Nn(t,e,n,s,i){
let l=()=>{let o=[...t.steps()?.slow??[]].map(m=>m.step).sort((m,h)=>m-h);if(!o.length)return t.say("No time s\
tep takes unusually long.");let d=$.now.selection.steps?qe(t,i):-1;Ce(o.find(m=>m>d)??o[0]??0,t,i)},c=n[0],r={
w:()=>c?.zoom(.7),s:()=>c?.zoom(1/.7),a:()=>c?.pan(-.2),d:()=>c?.pan(.2),ArrowLeft:()=>c?.pan(-.2),ArrowRight:()=>c?.
pan(.2),ArrowUp:()=>c?.scroll(-.2),ArrowDown:()=>c?.scroll(.2),"+":()=>c?.zoomLines(.5),"=":()=>c?.zoomLines(.5),
"-":()=>c?.zoomLines(2),0:()=>$.set({view:void 0}),f:()=>c?.fit(),"[":()=>{Ce(qe(t,i)-1,t,i)},"]":()=>{Ce(qe(t,
i)+1,t,i)},o:l,"/":e,"?":Ae,u:()=>$.undo(),U:()=>$.redo(),t:Ft,Escape:()=>$.set({selection:{}}),m:()=>{for(let o of n)
o.messages=!o.messages,o.draw();t.say(c?.messages?"messages are drawn":"messages are not drawn")},c:()=>{Ut(t,
s)},e:()=>Bt(t,s)};s.slice(0,9).forEach((o,d)=>r[String(d+1)]=()=>$.set({panel:o.id,detail:""})),addEventListener(
"keydown",o=>{if(o.target.closest("input, textarea, select, dialog"))return;if((o.ctrlKey||o.metaKey)&&!o.altKey){
let h={z:()=>o.shiftKey?$.redo():$.undo(),Z:()=>$.redo(),y:()=>$.redo()}[o.key];return h?(o.preventDefault(),h()):
void 0}if(o.ctrlKey||o.metaKey||o.altKey)return;let m=r[o.key]??(o.key.length===1?r[o.key.toLowerCase()]:void 0);
m&&(o.preventDefault(),m())}),addEventListener("themechange",()=>n.forEach(o=>o.draw()))}$n();})();
