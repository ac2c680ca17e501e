"use strict";(()=>{var B=class extends Error{constructor(n,s){super(s);this.status=n}status},re=(()=>{let t=document.getElementById(
"tabard-data");return t?JSON.parse(t.textContent??"{}").answers:null})(),W=re!==null;function Re(t,e={}){let n=Object.
keys(e).sort().filter(s=>e[s]!==void 0&&e[s]!=="").map(s=>`${encodeURIComponent(s)}=${encodeURIComponent(String(
e[s]))}`);return"/api/"+t+(n.length?"?"+n.join("&"):"")}var ee=new Map,Yt=200;function Gt(t,e){let n=ee.get(t);
if(n)return ee.delete(t),ee.set(t,n),n;let s=e();ee.set(t,s),s.catch(()=>ee.delete(t));for(let i of ee.keys()){
if(ee.size<=Yt)break;ee.delete(i)}return s}function Xe(){return new B(404,"This is not in this file: open the \
recording itself with tabard view.")}async function Zt(t){if(!re||!(t in re))throw Xe();let e=re[t];if(typeof e==
"object"&&e.error)throw new B(409,e.error);return e}async function Ye(t,e){for(;;){let n;try{n=await fetch(t,{
signal:e.signal??null,credentials:"same-origin"})}catch(s){throw e.signal?.aborted?s:new B(0,"The server does \
not answer: has tabard view ended? Start it again, and reload this page.")}if(n.status!==202)return n;if(e.pending?.(
await n.json()),await new Promise(s=>setTimeout(s,300)),e.signal?.aborted)throw new DOMException("aborted","Ab\
ortError")}}async function Ge(t){if(t.status===401||t.status===403)return new B(t.status,"This page may not as\
k the server: open the address that tabard view printed.");try{return new B(t.status,(await t.json()).error)}catch{
return new B(t.status,`The server answered with status ${t.status}.`)}}function H(t,e={},n={}){let s=Re(t,e);return re?
Zt(s):Gt(s,async()=>{let i=await Ye(s,n);if(!i.ok)throw await Ge(i);return await i.json()})}async function Ze(t,e={}){
if(re){let s=re[t];if(typeof s!="string")throw Xe();return Uint8Array.from(atob(s),i=>i.charCodeAt(0)).buffer}
let n=await Ye(t,e);if(!n.ok)throw await Ge(n);return n.arrayBuffer()}var Qt=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;function te(t){return t.replace(Qt,e=>{let n=e.codePointAt(0)??
0;return n===10?"\\n":n===9?"\\t":n<256?"\\x"+n.toString(16).padStart(2,"0"):n<65536?"\\u"+n.toString(16).padStart(
4,"0"):"\\U"+n.toString(16).padStart(8,"0")})}function u(t,e={},...n){let s=document.createElement(t);return Qe(
s,e),S(s,...n),s}function he(t,e={},...n){let s=document.createElementNS("http://www.w3.org/2000/svg",t);return Qe(
s,e),S(s,...n),s}function Qe(t,e){for(let[n,s]of Object.entries(e))typeof s=="function"?t.addEventListener(n,s):
typeof s=="string"?t.setAttribute(n,te(s)):typeof s=="number"?t.setAttribute(n,String(s)):s===!0&&t.setAttribute(
n,"")}function S(t,...e){t.replaceChildren(...e.filter(n=>n!=null&&n!==!1).map(n=>n instanceof Node?n:te(String(
n))))}function Ae(t,...e){let n=u("dialog",{"aria-label":t},u("h2",{},t),...e,u("div",{class:"controls"},u("form",{method:"\
dialog"},u("button",{},"close"))));n.addEventListener("close",()=>n.remove()),document.body.append(n),n.showModal()}
var en=[["W S","zoom in and out in time"],["A D","move in time"],["\u2190 \u2192","move in time"],["\u2191 \u2193",
"move over ranks"],["+ \u2212","fewer, more ranks"],["0","the whole run"],["F","look at the selection"],["[ ]",
"previous, next iteration"],["O","next outlier iteration"],["/","search"],["U, Ctrl+Z","undo (also: back)"],["\
Shift+U, Ctrl+Y","redo"],["Esc","select everything again"],["M","messages on, off"],["C","copy as command"],["\
E","export"],["T","dark, light"],["1 \u2026 9","the panels"],["wheel","zoom in time; Shift: move; Alt: ranks"],
["drag","select time and ranks; Shift: move"],["click","select a rank, or show a call; Ctrl: more ranks"],["do\
uble click","look at the selection"]];function Ne(){Ae("Keys and mouse",u("div",{class:"keys"},...en.flatMap(([
t,e])=>[u("kbd",{},t),u("span",{},e)])),u("p",{},"All panels show what is selected: ranks, functions, communic\
ators, time and steps, in the words of the command line. Tables: arrow keys, Page Up and Down, Home, End, and \
Enter to choose; Tab goes to the next part of the page."))}function we(t,e,n){let s=u("textarea",{readonly:!0,
rows:Math.min(8,Math.ceil(e.length/80)+1),cols:84,"aria-label":t});s.value=e,navigator.clipboard?.writeText(e).
then(()=>n("copied: "+e),()=>{}),Ae(t,s),s.focus(),s.select()}function et(t){Ae("Take along",...t.map(e=>u("p",
{},u("button",{type:"button",click:()=>e.run()},e.text))))}function Oe(t,e){let n=URL.createObjectURL(e);u("a",
{href:n,download:t}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4)}function be(t,e){if(t===0)return"0";let n=Number(t.toExponential(e-1).split("e")[1]);return n<-6||n>15?t.toPrecision(
e):t.toFixed(Math.max(0,e-1-n))}function M(t){let e=Math.abs(t);if(e<999.5)return(Number.isInteger(t)?String(t):
be(t,3))+" ns";if(e<999500)return be(t/1e3,3)+" us";if(e<9995e5)return be(t/1e6,3)+" ms";if(e<11995e7)return be(
t/1e9,3)+" s";if(e<72e11){let s=Math.round(t/1e9);return`${Math.trunc(s/60)} min ${Math.abs(s%60)} s`}let n=Math.
round(t/6e10);return`${Math.trunc(n/60)} h ${Math.abs(n%60)} min`}function A(t){if(Math.abs(t)<1024)return(Number.
isInteger(t)?String(t):be(t,3))+" B";let e=0;for(t/=1024;Math.abs(t)>=1023.95&&e<5;e++)t/=1024;return`${t.toFixed(
1)} ${"KMGTPE"[e]}iB`}function k(t){return String(Math.round(t)).replace(/\B(?=(\d{3})+$)/g,",")}function D(t){
let e=100*t;return Number.isNaN(e)?"-":e>0&&e<.05?"<0.1%":e.toFixed(1)+"%"}function I(t,e){return t===1?"1 "+e:
k(t)+" "+e+(/(s|ch)$/.test(e)?"es":"s")}function He(t,e){let n=Math.min(9,Math.max(0,2-Math.floor(Math.log10(Math.max(e,1)/1e9))));return(t/1e9).toFixed(
n)+" s"}function z(t,e=[]){let n={};for(let[s,i]of Object.entries(t.selection))e.includes(s)||(n[s]=i);return n}function V(t){
return JSON.stringify(t.selection)}function ne(t){return t instanceof B?t.message:`This page failed: ${t instanceof
Error?t.message:String(t)}`}function tn(t){return t instanceof B&&(t.status===409||t.status===404)}var tt=new WeakMap;
async function E(t,e,n=s=>S(t,u("p",{class:"pending",role:"status"},s))){tt.get(t)?.abort();let s=new AbortController;
tt.set(t,s),t.setAttribute("aria-busy","true");let i=setTimeout(()=>{s.signal.aborted||n("\u2026")},150),o=c=>{
if(s.signal.aborted)return;clearTimeout(i);let a=c.total>0?`: ${k(c.done)} of ${k(c.total)}`:c.done>0?`: ${k(c.
done)}`:"";n(c.what+a+" \u2026")};try{let c=await e(s.signal,o);s.signal.aborted||S(t,...c)}catch(c){s.signal.
aborted||S(t,u("p",{class:tn(c)?"empty":"failed",role:"status"},ne(c)))}clearTimeout(i),s.signal.aborted||t.removeAttribute(
"aria-busy")}function L(t,e,n,s){return H(t,e,{signal:n,pending:s})}function nn(t){let e=(t.file??"").replace(
/^.*\//,"");return t.line?`${e}:${t.line}`+(t.func?` [${t.func}]`:""):t.code?t.code:t.offset!==void 0?`${e||t.
func||"?"}+0x${t.offset.toString(16)}`:t.func??e}function Z(t){return(t??[]).map(nn).join(" < ")}function q(t,e,n,s){
let i=u("select",{change:o=>s(o.target.value)},...e.map(([o,c])=>u("option",{value:o,selected:o===n},c)));return u(
"label",{},t,i)}var J=["rank","function","comm","time","in","steps","step_loop"],sn={rank:"--rank",function:"--function",comm:"\
--comm",time:"--time",in:"--in",steps:"--steps",step_loop:"--step-loop"},ae={selection:{},panel:"sites",color:"\
activity",order:"rank",detail:""};function De(t){let e=new URLSearchParams;for(let n of J)t.selection[n]&&e.set(
n,t.selection[n]);return t.view&&e.set("view",t.view.map(n=>String(Math.round(n))).join("_")),t.panel!==ae.panel&&
e.set("panel",t.panel),t.color!==ae.color&&e.set("color",t.color),t.order!==ae.order&&e.set("order",t.order),t.
call&&e.set("call",t.call.join(".")),t.detail&&e.set("detail",t.detail),e.toString()}function nt(t,e){let n=(t??
"").split(e).map(Number);if(!(n.length!==4||n.some(s=>!Number.isFinite(s))))return n}function st(t){let e=new URLSearchParams(
t.replace(/^#/,"")),n={...ae,selection:{}};for(let s of J){let i=e.get(s);i&&(n.selection[s]=i)}return n.view=
nt(e.get("view"),"_"),n.view&&(n.view[1]<=n.view[0]||n.view[3]<1)&&(n.view=void 0),n.call=nt(e.get("call"),"."),
n.panel=e.get("panel")??ae.panel,n.color=e.get("color")??ae.color,n.order=e.get("order")??ae.order,n.detail=e.
get("detail")??"",n}var ve=class{state=st(location.hash);listeners=[];place=0;last=0;moved=0;late;constructor(){
history.replaceState({place:0},""),addEventListener("popstate",e=>{let n=e.state?.place;n===void 0?history.replaceState(
{place:++this.place},""):this.place=n,this.last=Math.max(this.last,this.place),this.moved=0,clearTimeout(this.
late),this.late=void 0,this.enter(st(location.hash))})}get now(){return this.state}listen(e){this.listeners.push(
e)}set(e,n=!1){let s={...this.state,...e},i=De(s);if(i===De(this.state))return;let o=n&&performance.now()-this.
moved<800;this.moved=n?performance.now():0,o?this.late??=setTimeout(()=>this.settle(),300):(this.settle(),this.
last=++this.place,history.pushState({place:this.place},"","#"+i)),this.enter(s)}settle(){this.late!==void 0&&(clearTimeout(
this.late),this.late=void 0,history.replaceState({place:this.place},"","#"+De(this.state)))}select(e,n={}){let s={
...this.state.selection,...e};for(let i of J)s[i]||delete s[i];this.set({...n,selection:s})}get link(){return this.
settle(),location.href}undo(){this.settle(),this.place>0&&history.back()}redo(){this.settle(),this.place<this.
last&&history.forward()}enter(e){let n=this.state;this.state=e;for(let s of this.listeners)s(e,n)}};function fe(t){
return/^[\w@%+=:,./-]+$/.test(t)?t:"'"+t.replaceAll("'","'\\''")+"'"}function je(t){return J.filter(e=>t[e]).map(
e=>`${sn[e]} ${fe(t[e]??"")}`).join(" ")}function ye(t){let e=[...new Set(t)].sort((s,i)=>s-i),n=[];for(let s=0;s<
e.length;){let i=s;for(;i+1<e.length&&e[i+1]===(e[i]??0)+1;)i++;n.push(s===i?String(e[s]):`${e[s]}-${e[i]}`),s=
i+1}return n.join(",")}function xe(t,e){return t?t.split(",").some(n=>{let[s,i]=n.split("-").map(Number);return s!==
void 0&&e>=s&&e<=(i??s)}):!0}function se(t,e,n,s=" of"){return u("div",{class:"figure"+s,title:n},u("dt",{},t),u("dd",{},e))}function it(t){
let e=u("section",{class:"verdict","aria-label":"Verdict"}),n="",s=()=>{let i=JSON.stringify(t.store.now.selection);
if(i===n)return;n=i;let o=t.overview;E(e,async(c,a)=>{let r;try{r=await L("report",z(t.store.now),c,a)}catch(f){
return[u("dl",{},...ze(o)),u("div",{class:"sentence"},ne(f))]}let d=r.efficiency,m=(r.ranks??[]).reduce((f,p)=>f+
p.end_ns-p.begin_ns,0),h=Object.values(r.waits??{}).reduce((f,p)=>f+p.time_ns,0),l=(r.groups??[]).reduce((f,p)=>f+
p.time_ns,0);return[u("dl",{},r.elapsed_ns!==void 0&&se("time",M(r.elapsed_ns),"from the first call after MPI_\
Init to the last before MPI_Finalize"),d&&se("parallel efficiency",D(d.parallel),"the part of the time of all \
ranks that is computation: load balance x communication efficiency"),d&&se("load balance",D(d.load_balance),"m\
ean computation of the ranks, by the greatest"),d&&se("communication eff.",D(d.communication),"the greatest co\
mputation of a rank, by the time of the run"),l>0&&m>0&&se("in calls",D(l/m),"of the time of all ranks"),r.waits&&
m>0&&se("waiting for others",D(h/m),"of the time of all ranks: in calls that could not go on since another ran\
k came late"),...ze(o)),u("div",{class:"sentence"},i==="{}"?"":"of what is selected")]},c=>{let a=e.querySelector(
".sentence");a?S(a,c):S(e,u("dl",{},...ze(o)),u("div",{class:"sentence"},c))})};return t.store.listen(s),s(),e}
function ze(t){return[se("ranks",k(t.processes)+(t.threads>t.processes?` (${I(t.threads,"thread")})`:""),I(t.hosts,
"host"),""),se("calls",k(t.calls),"in the whole recording","")]}function ot(t){let e=t.banner,n=[];return t.timed||
n.push("No times of calls were recorded: there is no map. Record with --timing=lossy."),e.time_error_ns>0&&n.push(
`times are within ${M(e.time_error_ns)}`),e.clock_residual_ns>0&&n.push(`clocks of hosts agree within ${M(e.clock_residual_ns)}`),
e.unmeasured_clocks>0&&n.push(`the clocks of ${I(e.unmeasured_clocks,"host")} are not corrected`),e.unfinished_calls>
0&&n.push(`${I(e.unfinished_calls,"call")} did not return`),e.lost_calls>0&&n.push(`${I(e.lost_calls,"call")} \
were lost`),e.snapshot&&n.push(`the job was still running when this was taken (${e.snapshot})`),e.incomplete&&
n.push(e.incomplete),u("section",{class:"banner","aria-label":"What limits these numbers"},...n.map(s=>u("span",
{},s)))}function on(t){let e={},n="";for(let i=1;i<t.length;i++){let[o="",c]=(t[i]??"").split(/=(.*)/s),a=o.replace(
/^--/,"").replaceAll("-","_"),r=c??t[i+1]??"";if(J.includes(a))e[a]=r;else if(a==="cause")n="causes,cause:"+r,
e.rank=r;else if(a==="kind")n="places,kind:"+r;else continue;c===void 0&&i++}let s={waits:"waits",messages:"me\
ssages",matrix:"matrix",loops:"loops",outliers:"outliers",histogram:"histogram",profile:"sites",report:"sites",
timeline:"sites"}[t[0]??""]??"sites";return{selection:e,panel:s,detail:n}}function rt(t){let e=u("ol",{class:"\
findings"}),n=u("h2",{},"Findings"),s="",i=c=>{let a=on(c.command??[]),r=a.selection,d=t.steps(),m=c.step>=0&&
(!d||c.step<d.total);m&&!r.steps&&(r.steps=String(c.step)),c.process>=0&&!r.rank&&(r.rank=String(c.process)),!Object.
keys(r).length&&c.func&&(r.function=c.func);let h=c.process>=0&&(c.command?.[0]==="dump"||["hang","deadlock","\
crash"].includes(c.kind));t.store.set({selection:r,panel:h?"call":a.panel,detail:a.detail,...h?{call:[0,c.process,
0,-1]}:{}}),r.steps&&m?dispatchEvent(new CustomEvent("jump",{detail:c.step})):c.step>=0&&d?.total&&t.overview.
grid&&t.look((d.begin_ns.at(-1)??0)+(d.length_ns.at(-1)??0),t.overview.grid.to_ns),t.say("selected: "+c.text)};
return s||(s="all",E(e,async(c,a)=>{let r=await L("report",{},c,a);return S(n,`Findings (${r.findings.length})`),
r.findings.length?r.findings.map(d=>u("li",{},u("button",{type:"button",title:d.text,click:()=>i(d)},u("span",
{class:"cost"},d.cost_ns>0?`${M(d.cost_ns)}, ${D(d.share)}`:""),u("span",{class:"kind"},d.kind),u("span",{class:"\
text short"},d.text)))):[u("li",{class:"empty"},"Nothing stands out: no finding concerns 1% of the time.")]})),
u("aside",{"aria-label":"Findings"},n,e)}var ke=[4456788,4728952,4082057,3238030,2523790,2072201,3520377,7261784,11918891,16639781],K=[{key:"computatio\
n",name:"computation",light:14278114,dark:3752525},{key:"point_to_point",name:"point to point",light:29362,dark:29362},
{key:"wait",name:"wait",light:13983232,dark:13983232},{key:"collective",name:"collective",light:15113984,dark:15113984},
{key:"rma",name:"one-sided",light:13400487,dark:13400487},{key:"io",name:"files",light:40563,dark:40563},{key:"\
other_mpi",name:"other MPI",light:5682409,dark:5682409},{key:"lifecycle",name:"init and finalize",light:11782108,
dark:5071224},{key:"unselected",name:"not chosen",light:9081758,dark:9081758}],Ie=[["bytes_sent","bytes sent"],
["bytes_received","bytes received"],["messages_sent","messages sent"],["messages_received","messages received"]];
function le(t){return Ie.some(([e])=>e===t)}function Me(t){return[t>>16,t>>8&255,t&255]}var at=new Map;function ie(t){
let e=at.get(t);return e===void 0&&at.set(t,e="#"+t.toString(16).padStart(6,"0")),e}var F=(()=>{let t=new Uint8Array(
768);for(let e=0;e<256;e++){let n=e/255*(ke.length-1),s=Math.min(Math.trunc(n),ke.length-2),i=Me(ke[s]??0),o=Me(
ke[s+1]??0);for(let c=0;c<3;c++)t[3*e+c]=Math.round((i[c]??0)*(1-(n-s))+(o[c]??0)*(n-s))}return t})(),lt=matchMedia(
"(prefers-color-scheme: dark)"),Fe=new Map,ct;function rn(){Fe.clear(),ct=void 0}addEventListener("themechange",
rn);lt.addEventListener("change",()=>dispatchEvent(new Event("themechange")));function X(){let t=document.documentElement.
dataset.theme;return ct??=t?t==="dark":lt.matches}function Y(t){let e=K[t]??K[0];return X()?e.dark:e.light}function C(t){
let e=Fe.get(t);return e===void 0&&(e=getComputedStyle(document.documentElement).getPropertyValue("--"+t).trim(),
Fe.set(t,e)),e}var dt=[["activity","activity"],["mpi","share in calls"],...K.slice(0,8).map(t=>[t.key,"share of "+t.name]),...W?
[]:Ie];function ut(t,e){let n=u("div",{class:"legend",role:"list","aria-label":"Legend"}),s=()=>{if(t.now.color===
"activity"){S(n,...K.map((d,m)=>{if(!e.seen.has(d.key))return null;let h=u("span",{class:"swatch","aria-hidden":"\
true"});return h.style.background=ie(Y(m)),u("span",{class:"key",role:"listitem"},h,d.name)}));return}let i=u(
"canvas",{class:"ramp",width:256,height:1,"aria-hidden":"true"}),o=i.getContext("2d"),c=o?.createImageData(256,
1);if(o&&c){for(let d=0;d<256;d++)c.data.set([F[3*d]??0,F[3*d+1]??0,F[3*d+2]??0,255],4*d);o.putImageData(c,0,0)}
let a=t.now.color;if(!le(a))return S(n,u("span",{class:"key"},"0%",i,"100% of the time"));S(n,u("span",{class:"\
key",title:"The scale is logarithmic, over four powers of ten; where nothing is moved, the colour is that of 0\
."},"0",i,`${(d=>a.startsWith("bytes")?A(d):k(d))(e.most)} a second and line`))};return t.listen((i,o)=>{i.color!==
o.color&&s()}),e.element.addEventListener("seen",s),addEventListener("themechange",s),s(),n}var an=150;function mt(t,e,n,s,[i,o]){let c=new Set,a=[];for(let m of e)for(let h of m.arrows??[]){let l=`${h.
from}.${h.send}-${h.to}.${h.receive}`;c.has(l)||(c.add(l),!(n(h.end_ns)<i||n(h.begin_ns)>o||!s.has(h.from)&&!s.
has(h.to))&&a.push(h))}if(a.length>an)return;let r=C("line"),d=C("bad");for(let m of[!1,!0]){t.strokeStyle=m?d:
r,t.fillStyle=t.strokeStyle,t.lineWidth=m?1.6:1,t.beginPath();for(let h of a){if(h.wait_ns>0!==m)continue;let l=s.
get(h.from)??(s.get(h.to)??0)+(h.from<h.to?-2e3:2e3),f=s.get(h.to)??l+(h.to>h.from?2e3:-2e3),p=n(h.begin_ns),y=n(
h.end_ns);t.moveTo(p,l),t.lineTo(y,f);let b=Math.atan2(f-l,y-p);for(let x of[2.7,-2.7])t.moveTo(y,f),t.lineTo(
y+7*Math.cos(b+x),f+7*Math.sin(b+x));if(m){let x=n(h.end_ns-h.wait_ns);t.moveTo(x,f+4),t.lineTo(y,f+4),t.moveTo(
x,f+1),t.lineTo(x,f+7)}}t.stroke()}}var ln=4e3,_e=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;arrowPieces=new Map;aligned(e,n){
let s=2**Math.ceil(Math.log2(Math.max(64,n-e)));return{length:s,first:Math.floor(e/s),last:Math.floor(n/s)}}of(e,n,s){
let{length:i,first:o,last:c}=this.aligned(n,s),a=[];for(let r=Math.max(0,o);r<=c;r++){let d={rec:this.rec||void 0,
rank:e.rank,thread:e.thread||void 0,world:e.world||void 0,t0:r*i,t1:(r+1)*i,max:ln},m=JSON.stringify(d),h=this.
pieces.get(m);h?.lane?a.push(h.lane):h||this.ask(m,d)}return cn(a)}ask(e,n){let s={};if(this.pieces.set(e,s),H(
"lanes",n).then(i=>s.lane=i,()=>s.failed=!0).finally(()=>this.changed()),this.pieces.size>600)for(let i of[...this.
pieces.keys()].slice(0,200))this.pieces.delete(i)}arrows(e,n){let{length:s,first:i,last:o}=this.aligned(e,n),c=[];
for(let a=Math.max(0,i);a<=o;a++){let r={rec:this.rec||void 0,t0:a*s,t1:(a+1)*s,max:2e3},d=JSON.stringify(r),m=this.
arrowPieces.get(d);if(m?.arrows&&c.push(m.arrows),m)continue;let h={};if(this.arrowPieces.set(d,h),H("arrows",
r).then(l=>h.arrows=l,()=>h.failed=!0).finally(()=>this.changed()),this.arrowPieces.size>60)for(let l of[...this.
arrowPieces.keys()].slice(0,20))this.arrowPieces.delete(l)}return c}};function cn(t){let e=t[0];if(!e||t.length<
2)return t;let n=new Map,s=new Map,i=new Map,o=[],c=(a,r,d)=>{let m=a.get(r);a.set(r,m?{...m,start_ns:Math.min(
m.start_ns,d.start_ns),end_ns:Math.max(m.end_ns,d.end_ns)}:d)};for(let a of t){if(!a.calls?.length&&a.total>0)
return[];for(let r of a.calls??[])n.set(r.index,{...r,site:r.site<0?-1:r.site+o.length});for(let r of a.loops??
[])c(s,`${r.level} ${r.iteration} ${r.name}`,r);for(let r of a.regions??[])c(i,`${r.level} ${r.start_ns} ${r.name}`,
r);o.push(...a.sites??[])}return[{...e,to_ns:t.at(-1)?.to_ns??e.to_ns,total:n.size,calls:[...n.values()],loops:[
...s.values()],regions:[...i.values()],sites:o}]}var dn=new Map(K.map((t,e)=>[t.key,e]));function Ke(t,e,n,s,i,o){
if(i<24)return;t.fillStyle=o;let c=Math.floor((i-6)/6.1);c<3||(e=te(e),t.fillText(e.length>c?e.slice(0,c-1)+"\u2026":
e,n+3,s))}function un(t){return((t>>16)*299+(t>>8&255)*587+(t&255)*114)/1e3>140}function mn(t,e){if(!t)return!0;
let n=!0;for(let s of t.split(",").map(i=>i.trim().toLowerCase())){let i=s.startsWith("mpi_")||s.includes("*"),
o=s.split("*").map(c=>c.replace(/[^\w]/g,"\\$&")).join(".*");if(i&&new RegExp(`^${o}$`).test(e.toLowerCase()))
return!0;n&&=i}return n?!1:void 0}function ht(t,e,n,s){let{y:i,height:o,x:c,left:a,right:r,chosen:d}=n,m=e.calls??
[];if(!m.length&&e.total>0)return!1;let h=e.loops??[],l=o>=26?Math.min(3,h.reduce((v,g)=>Math.max(v,g.level+1),
0)):0,f=o>=26?(e.regions??[]).filter(v=>v.level<1):[],p=l+(f.length?1:0)>0?Math.min(13,Math.floor(o*.5/(l+(f.length?
1:0)))):0,y=i;t.font="10px ui-monospace, DejaVu Sans Mono, monospace",t.textBaseline="middle",t.textAlign="lef\
t";for(let v of f){let g=Math.max(a,c(v.start_ns)),_=Math.min(r,c(v.end_ns))-g;if(_<=0)continue;t.fillStyle=X()?
"#2f5d50":"#bfe3d6",t.fillRect(g,y,_,p-1);let w=v.times>1?`${v.name||"regions"} (${v.times} times)`:v.name;p>=
10&&Ke(t,w,g,y+p/2,_,X()?"#e8ecf1":"#1f2933"),s.push({x:g,width:_,y,height:p,line:e,region:w})}f.length&&(y+=p);
for(let v of h){if(v.level>=l)continue;let g=Math.max(a,c(v.start_ns)),_=Math.min(r,c(v.end_ns))-g;if(_<=0)continue;
let w=y+v.level*p;t.fillStyle=X()?v.iteration%2?"#3d4a63":"#4b5a78":v.iteration%2?"#c9d6ea":"#dbe4f2",t.fillRect(
g,w,Math.max(.6,_-1),p-1);let j=(v.iteration===v.last_iteration?`${v.iteration}`:`${v.iteration}-${v.last_iteration}`)+
(v.step?" step":"")+"  "+v.name;p>=10&&Ke(t,j,g,w+p/2,_,X()?"#e8ecf1":"#1f2933"),s.push({x:g,width:_,y:w,height:p,
line:e,loop:v})}y+=l*p;let b=i+o-y,x=Math.max(a,c(e.from_ns)),T=Math.min(r,c(e.to_ns));if(m.length&&T>x){let v=Math.
max(a,c(m[0]?.start_ns??e.from_ns)),g=Math.min(r,c(m.at(-1)?.end_ns??e.to_ns));t.fillStyle=ie(Y(0)),t.fillRect(
v,y,g-v,b)}for(let v of m){let g=Math.max(a,c(v.start_ns)),_=Math.min(r,c(v.end_ns));if(_<a||g>r)continue;let w=mn(
n.functions,v.func)===!1?K.length-1:dn.get(v.category)??6,P=Y(w),j=Math.max(.7,_-g),me=v.nested?b*.3:0;if(t.fillStyle=
ie(P),t.fillRect(g,y+me,j>3?j-.7:j,b-me),v.unfinished){t.fillStyle=X()?"#ffffff":"#000000";for(let oe=g;oe<_;oe+=
8)t.fillRect(oe,y+b-3,4,2)}v.index===d&&(t.strokeStyle=X()?"#ffffff":"#000000",t.lineWidth=2,t.strokeRect(g-1,
y-1,j+2,b+2)),b>=10&&Ke(t,v.func.replace(/^P?MPIX?_/,""),g,y+b/2,j,un(P)?"#111820":"#ffffff"),s.push({x:g,width:j,
y,height:b,line:e,call:v,site:v.site<0?void 0:e.sites?.[v.site]})}return!0}var hn=Float32Array.from({length:256},(t,e)=>Math.pow(e/255,2.2)),Ue=Uint8Array.from({length:4096},(t,e)=>Math.
round(255*Math.pow(e/4095,1/2.2))),ft=256,$e=class{constructor(e,n,s){this.rec=e;this.grid=n;this.changed=s}rec;grid;changed;tiles=new Map;asking=0;queue=new Map;clock=0;generation=new AbortController;drop(){
this.queue.clear()}get busy(){return this.asking>0||this.queue.size>0}address(e,n){return e.path??Re("tiles",{
...n.params,rec:this.rec||void 0,level:e.level,x:e.x,first:e.first,group:e.group,rows:e.rows})}tile(e,n,s=!0){
let i=e.path??`${e.level}.${e.x}.${e.first}.${e.group}.${e.rows}${n.key}`,o=this.tiles.get(i);if(o)return o.used=
++this.clock,o.stale&&s&&this.enqueue(i,e,n),o.head||o.error?o:void 0;s&&this.enqueue(i,e,n)}enqueue(e,n,s){this.
queue.has(e)||(this.queue.set(e,this.address(n,s)),queueMicrotask(()=>this.next()))}next(){for(;this.asking<4;){
let[e]=this.queue;if(!e)return;this.queue.delete(e[0]);let n=this.tiles.get(e[0]);(!n||n.stale)&&this.fetch(...e)}}async fetch(e,n){
let s={pixels:new Map,used:++this.clock},i=this.tiles.get(e);i?i.stale=!1:this.tiles.set(e,s),this.asking++;try{
let o=await Ze(n,{signal:this.generation.signal}),c=new DataView(o).getUint32(0,!0);s.head=JSON.parse(new TextDecoder().
decode(new Uint8Array(o,4,c))),le(s.head.value)?(s.values=new Float32Array(o.slice(4+c)),s.most=pt(s.head,s.values).
reduce((a,r)=>Math.max(a,r),0)):s.cells=new Uint8Array(o,4+c),!s.head.exact&&s.head.pending>0&&!W&&setTimeout(
()=>{s.stale=!0,this.changed()},700)}catch(o){s.error=o instanceof Error?o.message:String(o)}this.tiles.set(e,
s),this.asking--,this.trim(),this.changed(),this.next()}trim(){if(this.tiles.size<=ft)return;let e=[...this.tiles].
filter(([,n])=>n.head||n.error).sort((n,s)=>n[1].used-s[1].used);for(let[n]of e.slice(0,this.tiles.size-ft))this.
tiles.delete(n)}coarser(e,n){for(let s=1;e.level+s<=this.grid.level;s++){let i={...e,level:e.level+s,x:Math.floor(
e.x/2**s)},o=this.tile(i,n,!1);if(o?.head)return{tile:o,place:i}}}};function pt(t,e){let n=t.categories.length,
s=new Float32Array(t.bins*t.rows.length);return t.rows.forEach((i,o)=>{let c=1e9/(2**t.level*Math.max(1,i.read));
for(let a=o*t.bins;a<(o+1)*t.bins;a++){let r=0;for(let d=0;d<n;d++)r+=e[a*n+d]??0;s[a]=r*c}}),s}function fn(t,e){
return t<=0?0:Math.max(.04,Math.min(1,1+Math.log10(t/e)/4))}function Se(t,e,n,s){if(!t.head||!t.cells&&!t.values)
return;let i=e+(t.values?"/"+n:"")+(X()?"/dark":""),o=t.pixels.get(i);if(o||!s())return o;let{bins:c,rows:a}=t.
head,r=t.head.categories.length,d=document.createElement("canvas");d.width=c,d.height=Math.max(1,a.length);let m=d.
getContext("2d");if(!m)return;let h=m.createImageData(c,Math.max(1,a.length)),l=t.head.categories.map(f=>K.findIndex(
p=>p.key===f));if(t.values)bn(pt(t.head,t.values),h.data,n);else if(t.cells)e==="activity"?pn(t.cells,h.data,r,
l.map(f=>Me(Y(f)))):gn(t.cells,h.data,r,t.head.categories.map(f=>e==="mpi"?f!=="computation":f===e));else return;
return m.putImageData(h,0,0),t.pixels.set(i,d),d}function pn(t,e,n,s){let i=s.map(o=>o.map(c=>hn[c]??0));for(let o=0,
c=0;c<e.length;o+=n,c+=4){let a=0,r=0,d=0,m=0;for(let h=0;h<n;h++){let l=t[o+h]??0;if(!l)continue;let f=i[h];f&&
(a+=l*(f[0]??0),r+=l*(f[1]??0),d+=l*(f[2]??0),m+=l)}m&&(e[c]=Ue[Math.round(a/m*4095)]??0,e[c+1]=Ue[Math.round(
r/m*4095)]??0,e[c+2]=Ue[Math.round(d/m*4095)]??0,e[c+3]=Math.min(255,m+2))}}function bn(t,e,n){t.forEach((s,i)=>{
let o=3*Math.round(255*fn(s,n));e[4*i]=F[o]??0,e[4*i+1]=F[o+1]??0,e[4*i+2]=F[o+2]??0,e[4*i+3]=255})}function gn(t,e,n,s){
for(let i=0,o=0;o<e.length;i+=n,o+=4){let c=0,a=0;for(let d=0;d<n;d++){let m=t[i+d]??0;a+=m,s[d]&&(c+=m)}if(!a)
continue;let r=3*Math.min(255,Math.round(255*c/a));e[o]=F[r]??0,e[o+1]=F[r+1]??0,e[o+2]=F[r+2]??0,e[o+3]=255}}
function bt(t){return t.first.map(e=>{let n=new URLSearchParams(e.replace(/^.*\?/,"")),s=i=>Number(n.get(i)??0);
return{level:s("level"),x:s("x"),first:s("first"),group:s("group")||1,rows:s("rows"),path:e}})}var wn={ns:1,us:1e3,\u00B5s:1e3,ms:1e6,s:1e9,m:6e10,h:36e11};function Te(t,e,n){let s=t.trim();if(s.endsWith("\
%"))return e+(n-e)*Number(s.slice(0,-1))/100;if(s!==""&&Number.isFinite(Number(s)))return Number(s)*1e9;let i=0,
o=s;for(;o;){let c=/^([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/.exec(o);if(!c)return;i+=Number(c[1])*(wn[c[2]??""]??NaN),
o=o.slice(c[0].length)}return s?i:void 0}function ge(t,e,n){if(!t)return;if(t.includes("..")){let[c="",a=""]=t.
split(".."),r=c.trim()?Te(c,e,n):e,d=a.trim()?Te(a,e,n):n;return r===void 0||d===void 0?void 0:[r,d]}let s=t.search(
/(?<![eE])\+/);if(s<1)return;let i=Te(t.slice(0,s),e,n),o=Te(t.slice(s+1),0,n-e);return i===void 0||o===void 0?
void 0:[i,i+o]}function ce(t,e){let n=/^\s*(\d*)\s*(-|\.\.)?\s*(\d*)\s*$/.exec(t??"");if(!t||!n)return;let s=n[1]?
Number(n[1]):0;return[s,n[3]?Number(n[3]):n[2]?e-1:s]}function gt(t,e){return`${Math.max(0,Math.floor(t))}ns..${Math.
ceil(e)}ns`}var N=78,R=34,vn=44,de=4096,pe=class t{constructor(e){this.o=e;this.grid=e.overview.grid,this.first=bt(this.grid),
this.own=e.own??(n=>n),this.shared=e.shared??(n=>n),this.tiles=new $e(e.rec,this.grid,()=>this.draw()),this.lanes=
new _e(e.rec,()=>this.draw()),this.element=u("div",{class:"map"},this.canvas,this.tip,this.note),this.canvas.setAttribute(
"aria-label",`Time from left to right, ${I(this.grid.lines,"line")} from top to bottom. The arrow keys move, p\
lus and minus zoom. The table Ranks has the same as text.`),new ResizeObserver(()=>this.resize()).observe(this.
element),e.store.listen((n,s)=>{n.view!==s.view&&this.tiles.drop(),this.draw()}),this.listen()}o;element;canvas=u(
"canvas",{tabindex:0,role:"img"});tip=u("div",{class:"tip",hidden:!0});note=u("div",{class:"mapnote","aria-liv\
e":"polite"});tiles;lanes;grid;first;width=0;height=0;waiting=!1;lines=new Map;linesOrder="";steps;drawn=[];heads=[];drag;pointer;own;shared;seen=new Set;markers=[];messages=!0;frames=[];firstPicture;setSteps(e){
this.steps=e,this.draw()}get view(){let e=this.o.store.now.view;return e?[this.own(e[0]),this.own(e[1]),e[2],e[3]]:
[this.grid.from_ns,this.grid.to_ns,0,this.grid.lines]}look(e,n,s,i,o=!0){let c=this.grid,a=Math.max(200,Math.min(
n-e,(c.to_ns-c.from_ns)*1.02)),r=(e+n)/2;e=Math.max(c.from_ns-.01*(c.to_ns-c.from_ns),Math.min(r-a/2,c.to_ns*1.01-
a)),i=Math.max(1,Math.min(c.lines,i)),s=Math.max(0,Math.min(c.lines-i,s));let d=e<=c.from_ns&&e+a>=c.to_ns&&i===
c.lines;this.o.store.set({view:d?void 0:[this.shared(e),this.shared(e+a),s,i]},o)}zoom(e,n=this.pointer?.x??N+
this.plot/2){let[s,i,o,c]=this.view,a=this.timeAt(Math.max(N,n));this.look(a-(a-s)*e,a+(i-a)*e,o,c)}pan(e){let[
n,s,i,o]=this.view;this.look(n+e*(s-n),s+e*(s-n),i,o)}scroll(e){let[n,s,i,o]=this.view,c=Math.sign(e)*Math.max(
1,Math.round(Math.abs(e)*o));this.look(n,s,i+c,o)}zoomLines(e,n=this.pointer?.y??R+(this.height-R)/2){let[s,i,
o,c]=this.view,a=Math.max(1,Math.round(e>1?Math.max(c+1,c*e):Math.min(c-1,c*e))),r=this.lineAt(n);this.look(s,
i,Math.round(r-(r-o)*(a/c)),a)}get plot(){return Math.max(1,this.width-N)}get row(){return Math.min(vn,(this.height-
R)/this.view[3])}x=e=>{let[n,s]=this.view;return N+(e-n)/(s-n)*this.plot};timeAt(e){let[n,s]=this.view;return n+
(e-N)/this.plot*(s-n)}lineAt(e){return this.view[2]+(e-R)/this.row}resize(){let e=this.element.getBoundingClientRect(),
n=devicePixelRatio||1;this.width=Math.max(200,e.width),this.height=Math.max(60,e.height),this.canvas.width=Math.
round(this.width*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.width=this.width+"px",this.
canvas.style.height=this.height+"px",this.draw()}draw(){this.waiting||!this.width||(this.waiting=!0,requestAnimationFrame(
()=>{this.waiting=!1;let e=performance.now();this.paint(),this.frames.push(performance.now()-e),this.heads.length&&
(this.firstPicture??=performance.now()),this.frames.length>500&&this.frames.splice(0,250)}))}filtered;get filter(){
let e=this.o.store.now,{selection:n,order:s}=e,i=le(e.color)?e.color:void 0;if(this.filtered?.of.selection!==n||
this.filtered.of.order!==s||this.filtered.filter.params.value!==i){let o={function:n.function,comm:n.comm,in:n.
in,order:s==="rank"?void 0:s,value:i};this.filtered={of:e,filter:{params:o,key:JSON.stringify(o)}}}return this.
filtered.filter}paint(){let e=this.canvas.getContext("2d");if(!e)return;let n=devicePixelRatio||1;e.setTransform(
n,0,0,n,0,0),e.fillStyle=C("paper"),e.fillRect(0,0,this.width,this.height);let s=this.o.store.now;e.save(),e.beginPath(),
e.rect(N,R,this.plot,this.height-R),e.clip(),this.drawn=[],this.heads=[];let i=this.paintTiles(e,s),o=this.paintLanes(
e,s);this.paintSelection(e,s.selection),o&&this.messages&&this.paintArrows(e),e.restore(),this.paintAxis(e),this.
paintNames(e),this.paintMarkers(e),this.drag&&!this.drag.pan&&this.paintDrag(e),this.annotate(i)}annotate(e){let n=this.
heads.reduce((r,d)=>Math.max(r,d.head.exact?0:d.head.blur_ns),0),[s,i,o]=[0,0,0];for(let{head:r}of this.heads){
o+=r.unsized??0;for(let d of r.rows)s+=d.read,i+=d.threads}let c=this.failure;this.element.dataset.state=e||this.
tiles.busy?"loading":"ready";let a=c??(s<i?`not exact yet: ${D(s/i)} is read`:n?`not exact: means over stretch\
es of ${M(n)}`:o?`${I(o,"message")} of unknown size: receives count with the size of their buffers`:"");this.note.
textContent!==te(a)&&S(this.note,a)}failure;paintTiles(e,n){let[s,i,o,c]=this.view,a=(i-s)/this.plot,r=Math.max(
0,Math.min(this.grid.level,Math.floor(Math.log2(2*a)))),d=1;for(;d*2*this.row<=2.01;)d*=2;let m=[];if(W){let g=this.
first,_=[...new Set(g.map(w=>w.level))].sort((w,P)=>P-w);r=_.find(w=>w<=r)??_.at(-1)??r,m=g.filter(w=>w.level===
r)}else{let g=64*d,_=256*2**r;for(let w=Math.floor(o/g)*g;w<Math.min(o+c,this.grid.lines);w+=g)for(let P=Math.
max(0,Math.floor(s/_));P*_<Math.min(i,this.grid.to_ns);P++)m.push({level:r,x:P,first:w,group:d,rows:Math.min(64,
Math.ceil((this.grid.lines-w)/d))})}let h=this.filter,l=performance.now()+3,f=()=>performance.now()<l||(p=!0,this.
draw(),!1),p=!1;this.failure=void 0,e.imageSmoothingEnabled=!1;let[y]=this.first,b=y&&{...y,path:void 0},x=W||
!b?void 0:{place:b,tile:this.tiles.tile(b,h)},T=!x||x.tile!==void 0,v=m.map(g=>this.tiles.tile(g,h,T));if(this.
rescale([x?.tile,...v]),x?.tile&&v.some(g=>!g?.head||g.head.rows.some(_=>_.read===0))){let g=Se(x.tile,n.color,
this.most,f);g&&x.tile.head&&(this.see(x.tile.head,x.place),this.paintTile(e,g,x.place,x.place))}for(let[g,_]of m.
entries()){let w=v[g];w?.error&&(this.failure=w.error),w||(p=!0);let P=w&&Se(w,n.color,this.most,f);if(P&&w?.head){
this.see(w.head,_),this.paintTile(e,P,_,_);continue}let j=this.tiles.coarser(_,h);P=j&&Se(j.tile,n.color,this.
most,f),j&&P&&this.paintTile(e,P,j.place,_)}if(this.row>=5){e.fillStyle=C("paper");for(let g=Math.ceil(o+1e-9);g<=
Math.min(o+c,this.grid.lines);g++)e.fillRect(N,Math.round(R+(g-o)*this.row)-1,this.plot,1)}return p}static rates=new Map;get most(){
return 2**Math.ceil(Math.log2(Math.max(1,...t.rates.values())))}rescale(e){let n=this.most;if(t.rates.set(this,
Math.max(0,...e.map(s=>s?.most??0))),this.most!==n)for(let s of t.rates.keys())s.element.dispatchEvent(new Event(
"seen")),s.draw()}see(e,n){if(this.heads.push({head:e,place:n}),le(e.value))return;let s=this.seen.size;for(let i of e.
rows)i.sum_ns.forEach((o,c)=>o>0&&this.seen.add(e.categories[c]??""));this.seen.size>s&&this.element.dispatchEvent(
new Event("seen"))}paintTile(e,n,s,i){let o=2**(s.level-i.level),c=256/o,a=256*2**i.level,r=this.x(i.x*a),d=R+
(s.first-this.view[2])*this.row,m=n.height;e.drawImage(n,(i.x-s.x*o)*c,0,c,m,r,d,this.x((i.x+1)*a)-r,m*s.group*
this.row)}get rate(){return this.o.overview.calls/this.grid.lines/Math.max(1,this.grid.to_ns-this.grid.from_ns)}near(e){
let{from_ns:n,to_ns:s}=this.grid,i=Math.min((s-n)/2,30/this.rate);this.look((n+s)/2-i,(n+s)/2+i,0,e)}paintLanes(e,n){
let[s,i,o,c]=this.view;if(this.row<12||!this.o.overview.timed||W||n.color!=="activity"||this.rate*(i-s)>1500)return!1;
let a=!1;for(let r=Math.floor(o);r<Math.min(Math.ceil(o+c),this.grid.lines);r++){let d=this.line(r);if(!d)continue;
let m=R+(r-o)*this.row,h=n.call,l={y:m,height:this.row-1,x:this.x,left:N,right:this.width,functions:n.selection.
function,chosen:h&&h[0]===d.world&&h[1]===d.rank&&h[2]===d.thread?h[3]:void 0};for(let f of this.lanes.of(d,s,
i))a=ht(e,f,l,this.drawn)||a}return a}paintArrows(e){let[n,s,i,o]=this.view,c=new Map;for(let a=Math.floor(i);a<
i+o;a++){let r=this.line(a);r&&r.thread===0&&c.set(r.rank,R+(a-i+.5)*this.row)}mt(e,this.lanes.arrows(n,s),this.
x,c,[N,this.width])}paintSelection(e,n){let{from_ns:s,to_ns:i,lines:o}=this.grid,[,,c,a]=this.view,r=C("veil"),
d=ge(n.time,s,i),m=this.steps&&ce(n.steps,this.steps.total),h=N,l=this.width;if(d&&([h,l]=[this.x(this.own(d[0])),
this.x(this.own(d[1]))]),m&&this.steps){let b=Math.min(this.steps.begin_ns.length-1,Math.floor(m[0]/this.steps.
stride)),x=Math.min(this.steps.begin_ns.length-1,Math.floor(m[1]/this.steps.stride));h=Math.max(h,this.x(this.
steps.begin_ns[b]??s)),l=Math.min(l,this.x((this.steps.begin_ns[x]??i)+(this.steps.length_ns[x]??0)))}if(e.fillStyle=
r,h>N&&e.fillRect(N,R,h-N,this.height),l<this.width&&e.fillRect(l,R,this.width-l,this.height),(d||m)&&(e.fillStyle=
C("accent"),e.fillRect(h-1,R,2,this.height),e.fillRect(l-1,R,2,this.height)),!n.rank)return;e.fillStyle=r;let f=Math.
max(N,h),p=Math.min(this.width,l)-f,y=Math.max(1,Math.floor(1/this.row));for(let b=Math.floor(c);b<Math.min(o,
c+a);b+=y){let x=this.line(b);x&&!xe(n.rank,x.rank)&&e.fillRect(f,R+(b-c)*this.row,p,Math.max(1,y*this.row))}}paintAxis(e){
let[n,s]=this.view;e.fillStyle=C("faint"),e.strokeStyle=C("rule"),e.lineWidth=1,e.font="11px system-ui, DejaVu\
 Sans, sans-serif",e.textBaseline="alphabetic";let i=(s-n)/this.plot*110,o=10**Math.floor(Math.log10(i)),c=[1,
2,5,10].map(a=>a*o).find(a=>a>=i)??i;for(let a=Math.ceil(n/c)*c;a<=s;a+=c){let r=Math.round(this.x(a))+.5;if(r<
N)continue;e.beginPath(),e.moveTo(r,14),e.lineTo(r,18),e.stroke();let d=He(a,c*10);r+e.measureText(d).width/2<
this.width&&(e.textAlign="center",e.fillText(d,Math.max(r,N+e.measureText(d).width/2),11))}this.paintSteps(e),
e.beginPath(),e.moveTo(N,R-.5),e.lineTo(this.width,R-.5),e.stroke()}paintSteps(e){let n=this.steps;if(e.textAlign=
"left",e.fillText(n?.begin_ns.length?"step":"",4,29),!n)return;let s=new Set((n.slow??[]).map(l=>Math.floor(l.
step/n.stride))),[i,o]=this.view,c=n.begin_ns.filter(l=>l>=i&&l<=o).length,a=Math.max(1,c*n.stride*60/this.plot),
r=10**Math.floor(Math.log10(a)),d=[1,2,5,10].map(l=>l*r).find(l=>l>=a)??a,m=-1/0,h=-1/0;for(let l=0;l<n.begin_ns.
length;l++){let f=Math.round(this.x(n.begin_ns[l]??0))+.5;if(f<N||f>this.width)continue;let p=Math.ceil(l*n.stride/
d)*d,y=p<(l+1)*n.stride&&f>=h;if(!y&&!s.has(l)&&f-m<4||(m=f,e.strokeStyle=s.has(l)?C("bad"):C("rule"),e.beginPath(),
e.moveTo(f,y?20:31),e.lineTo(f,R),e.stroke(),!y))continue;let b=String(p);h=f+e.measureText(b).width+10,h<this.
width&&e.fillText(b,f+2,29)}}paintNames(e){let[,,n,s]=this.view,i=Math.max(1,Math.ceil(13/this.row));e.font="1\
1px system-ui, DejaVu Sans, sans-serif",e.textAlign="right",e.textBaseline="middle";let o=this.o.store.now.selection.
rank,c=-1/0;for(let a=Math.ceil(n/i)*i;a<Math.min(this.grid.lines,n+s);a+=i){let r=this.line(a);if(!r)continue;
let d=Math.max(R+(a-n+.5)*this.row,R+6);d>this.height-4||d<c||(c=d+12,e.fillStyle=o&&xe(o,r.rank)?C("accent"):
C("ink"),e.fillText(wt(r,i===1||a===0),N-6,d))}}paintMarkers(e){for(let n of this.markers){let s=this.yOfRank(
n.rank),i=this.x(n.at);s===void 0||i<N||i>this.width||(e.fillStyle=C("bad"),e.strokeStyle=C("paper"),e.beginPath(),
e.moveTo(i,s),e.lineTo(i-5,s-9),e.lineTo(i+5,s-9),e.closePath(),e.fill(),e.stroke())}}paintDrag(e){let n=this.
drag;if(!n)return;e.strokeStyle=C("accent"),e.fillStyle=C("select");let s=Math.min(n.x,n.x1),i=Math.min(n.y,n.
y1),o=[s,this.grid.lines>1?i:R,Math.abs(n.x1-n.x),this.grid.lines>1?Math.abs(n.y1-n.y):this.height];e.fillRect(
...o),e.strokeRect(...o)}line(e){let n=this.o.store.now.order;n!==this.linesOrder&&(this.linesOrder=n,this.lines=
new Map);let s=Math.floor(e/de)*de,i=this.lines,o=i.get(s);if(o===void 0&&(i.set(s,null),H("lines",{rec:this.o.
rec||void 0,order:n==="rank"?void 0:n,first:s,count:de}).then(c=>{i.set(s,c),this.draw()},()=>{})),o)return o.
lines[e-s];for(let{head:c,place:a}of this.heads){if(a.group!==1)continue;let r=c.rows[e-a.first];if(r)return{rank:r.
rank,world:r.world,thread:r.thread,host:"",class:0,calls:0}}}yOfRank(e){let[,,n,s]=this.view;for(let i=Math.floor(
n);i<n+s;i++){let o=this.line(i);if(o?.rank===e&&o.thread===0)return R+(i-n+.5)*this.row}}hit(e,n){let s;for(let i of this.
drawn)n<i.y||n>i.y+i.height||e<i.x-1||e>i.x+Math.max(i.width,2)||(!s||i.width<=s.width)&&(s=i);return s}listen(){
let e=this.canvas;e.addEventListener("pointerdown",n=>{n.button>1||(e.setPointerCapture(n.pointerId),this.drag=
{x:n.offsetX,y:n.offsetY,x1:n.offsetX,y1:n.offsetY,pan:n.shiftKey||n.button===1},this.tip.hidden=!0)}),e.addEventListener(
"pointermove",n=>{this.pointer={x:n.offsetX,y:n.offsetY};let s=this.drag;if(!s)return this.point();if(s.pan){let[
i,o,c,a]=this.view,r=(s.x1-n.offsetX)/this.plot*(o-i);this.look(i+r,o+r,c+Math.round((s.y1-n.offsetY)/this.row),
a)}s.x1=n.offsetX,s.y1=n.offsetY,this.draw()}),e.addEventListener("pointerup",n=>{let s=this.drag;this.drag=void 0,
s&&!s.pan&&this.released(s,n.ctrlKey||n.metaKey),this.draw()}),e.addEventListener("pointercancel",()=>this.drag=
void 0),e.addEventListener("pointerleave",()=>{this.pointer=void 0,this.tip.hidden=!0}),e.addEventListener("db\
lclick",()=>this.fit()),e.addEventListener("wheel",n=>{n.preventDefault();let s=n.deltaMode?n.deltaY*20:n.deltaY;
Math.abs(n.deltaX)>Math.abs(n.deltaY)?this.pan(n.deltaX/1e3):n.shiftKey?this.pan(s/1e3):n.altKey?this.zoomLines(
Math.exp(s/400),n.offsetY):this.zoom(Math.exp(s/400),n.offsetX)},{passive:!1})}fit(){let e=this.o.store.now.selection,
{from_ns:n,to_ns:s}=this.grid,i=ge(e.time,n,s),o=this.steps&&ce(e.steps,this.steps.total);if(o&&this.steps){let d=Math.
floor(o[0]/this.steps.stride),m=Math.min(this.steps.begin_ns.length-1,Math.floor(o[1]/this.steps.stride));i??=
[this.steps.begin_ns[d]??n,(this.steps.begin_ns[m]??s)+(this.steps.length_ns[m]??0)]}let[c,a]=i??[n,s],r=i?(a-
c)*.03:0;this.look(c-r,a+r,this.view[2],this.view[3],!1)}async released(e,n){let s=this.o.store;if(Math.abs(e.
x1-e.x)<4&&Math.abs(e.y1-e.y)<4){let r=this.markers.find(l=>Math.abs(this.x(l.at)-e.x)<6&&Math.abs((this.yOfRank(
l.rank)??-99)-5-e.y)<9);if(r)return r.choose();let d=this.line(Math.floor(this.lineAt(e.y))),m=this.hit(e.x,e.
y);if(m?.call){let l=m.line;return s.set({call:[l.world,l.rank,l.thread,m.call.index],panel:"call"})}if(m?.loop?.
step&&m.loop.iteration===m.loop.last_iteration)return s.select({steps:String(m.loop.iteration),time:""});if(!d||
e.y<R)return;let h=s.now.selection.rank;return n&&h?s.select({rank:xe(h,d.rank)?ye(this.ranksIn(h).filter(l=>l!==
d.rank)):ye([...this.ranksIn(h),d.rank])}):s.select({rank:h===String(d.rank)?"":String(d.rank)})}let i=gt(this.
shared(this.timeAt(Math.max(N,Math.min(e.x,e.x1)))),this.shared(this.timeAt(Math.max(e.x,e.x1)))),o=Math.max(0,
Math.floor(this.lineAt(Math.min(e.y,e.y1)))),c=Math.min(this.grid.lines-1,Math.floor(this.lineAt(Math.max(e.y,
e.y1)))),a=o<=0&&c>=this.grid.lines-1||Math.abs(e.y1-e.y)<4||e.y<R;s.select({time:i,steps:"",rank:a?s.now.selection.
rank??"":await this.ranksOf(o,c)})}ranksIn(e){return e.split(",").flatMap(n=>{let[s=0,i=s]=n.split("-").map(Number);
return Array.from({length:i-s+1},(o,c)=>s+c)})}async ranksOf(e,n){let s=this.o.store.now.order,i=[];for(let o=Math.
floor(e/de)*de;o<=n;o+=de)(await H("lines",{rec:this.o.rec||void 0,order:s==="rank"?void 0:s,first:o,count:de})).
lines.forEach((a,r)=>{o+r>=e&&o+r<=n&&a.rank>=0&&i.push(a.rank)});return ye(i)}point(){let e=this.pointer;if(!e||
e.x<N||e.y<R){this.tip.hidden=!0;return}let n=this.timeAt(e.x),s=Math.floor(this.lineAt(e.y)),[i,o]=this.view,
c=this.hit(e.x,e.y),a=[],r=this.line(s);if(c?.call)a.push(...kn(c.call,c.site));else if(c?.loop){let l=c.loop;
a.push(u("b",{},`${l.step?"step":"iteration"} ${l.iteration}${l.last_iteration>l.iteration?"-"+l.last_iteration:
""} of ${l.of}`),u("div",{},l.name),u("div",{},M(l.end_ns-l.start_ns)))}else c?.region?a.push(u("b",{},"region\
 "+c.region)):a.push(...this.aboutCell(s,n));let d=this.markers.find(l=>Math.abs(this.x(l.at)-e.x)<6&&Math.abs(
(this.yOfRank(l.rank)??-99)-5-e.y)<9);if(d&&a.unshift(u("b",{class:"bad"},d.text)),!a.length){this.tip.hidden=
!0;return}S(this.tip,u("div",{class:"where"},`${r?wt(r,!0):""}  at ${He(n,o-i)}`),...a),this.tip.hidden=!1;let m=this.
tip.offsetWidth,h=this.tip.offsetHeight;this.tip.style.left=(e.x+16+m>this.width?Math.max(0,e.x-m-12):e.x+16)+
"px",this.tip.style.top=Math.max(0,Math.min(e.y+14,this.height-h-4))+"px"}aboutCell(e,n){for(let{head:s,place:i}of this.
heads){let o=Math.floor((e-i.first)/i.group),c=Math.floor(n/2**i.level)-i.x*256,a=s.rows[o];if(!a||c<0||c>255||
e<i.first)continue;let r=this.tiles.tile(i,this.filter,!1),d=s.categories.length;if(r?.values)return yn(s,a,r.
values.subarray((o*256+c)*d,(o*256+c+1)*d));let m=r?.cells;if(!m)continue;let h=s.categories.map((f,p)=>[m[(o*
256+c)*d+p]??0,f]).filter(([f])=>f>0).sort((f,p)=>p[0]-f[0]),l=a.threads>1?u("div",{},`mean of ${vt(a)}`):null;
return a.read===0?[u("div",{},"not read yet")]:[...l?[l]:[],u("div",{},`mean of ${M(2**i.level)}`),...h.length?
h.map(([f,p])=>u("div",{},`${D(f/255)} ${K.find(y=>y.key===p)?.name??p}`)):[u("div",{},"nothing is known")]]}return[]}callsDrawn(){
let e=this.canvas.getBoundingClientRect();return this.drawn.flatMap(n=>n.call?[{x:e.x+n.x+n.width/2,y:e.y+n.y+
n.height/2,width:n.width,func:n.call.func,index:n.call.index,rank:n.line.rank}]:[])}};function wt(t,e){let n=(t.
world?`w${t.world}:`:"")+(t.rank<0?"?":t.rank)+(t.thread?"."+t.thread:"");return e&&!t.world&&!t.thread?"rank "+
n:n}function vt(t){return`${I(t.threads,"thread")}: ranks ${t.rank} to ${t.last_rank}`}function yn(t,e,n){if(e.
read===0)return[u("div",{},"not read yet")];let s=t.value.replace("_"," "),i=c=>t.value.startsWith("bytes")?A(
c):k(c),o=t.categories.flatMap((c,a)=>n[a]?[u("div",{},`${i(n[a]??0)} ${xn[c]??c}`)]:[]);return[u("b",{},s),...e.
threads>1?[u("div",{},`sum of ${vt(e)}`)]:[],u("div",{},`in ${M(2**t.level)}`),...o.length?o:[u("div",{},"noth\
ing")]]}var xn={p2p:"point to point",collective:"collective",rma:"one-sided",io:"files"};function kn(t,e){return[
u("b",{},t.func),u("div",{},`${M(t.end_ns-t.start_ns)}${t.unfinished?", did not return":""}, call ${t.index}`),
...e?[u("div",{class:"site"},e)]:[]]}function Le(t){return t===null?"not known or not significant":Array.isArray(t)?"["+t.map(Le).join(", ")+"]":typeof t==
"object"?"{"+Object.entries(t).map(([e,n])=>`${e}: ${Le(n)}`).join(", ")+"}":String(t)}var xt={id:"call",title:"\
Call",command:t=>t.call?["dump","--rank",String(t.call[1]),"--from",String(t.call[3]),"--limit","1"]:["dump"],
key:t=>String(t.call),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now.call;if(!i)return[u("p",{class:"empty"},
"Click a call in the map (zoom in until calls are drawn one by one), or choose one in a table.")];let[o,c,a]=i,
r={world:o||void 0,rank:c,thread:a||void 0},d=i[3];d<0&&(d+=(await L("calls",{...r,from:0,limit:1},n,s)).total);
let m=await L("calls",{...r,from:d,limit:1},n,s),h=m.calls[0];if(!h)return[u("p",{class:"empty"},`Rank ${c} ma\
de ${k(m.total)} calls: there is no call ${d}.`)];let l=h.flags?.includes("unfinished"),f=h.start_ns,p=h.end_ns??
f,y=v=>t.store.set({call:[o,c,a,v]}),b=()=>{if(f===void 0||p===void 0)return;let v=Math.max(p-f,500);t.look(f-
v,p+v,c)},x=u("div",{class:"controls"},u("b",{},h.func),`rank ${o?`w${o}:`:""}${c}${a?", thread "+a:""}, call ${k(
h.index)} of ${k(m.total)}`,u("button",{type:"button",disabled:d<=0,click:()=>y(d-1)},"\u2190 previous"),u("bu\
tton",{type:"button",disabled:d+1>=m.total,click:()=>y(d+1)},"next \u2192"),u("button",{type:"button",disabled:f===
void 0,click:b},"zoom to it"),u("button",{type:"button",click:()=>t.store.select({function:h.func})},"select t\
he function")),T=u("dl",{class:"call"});return f!==void 0&&p!==void 0&&Mn(t,T,c,f,Math.max(p,f+1),h,n),[x,u("d\
iv",{class:"columns"},yt([["call",h.func+(h.flags?.length?` (${h.flags.join(", ")})`:"")],...Object.entries(h.
in).map(([v,g])=>[v,Le(g)]),...Object.entries(h.out).map(([v,g])=>["\u2192 "+v,Le(g)]),["returned",l?"no":h.error??
String(h.ret)]]),yt([["begin",f===void 0?"not recorded":`${(f/1e9).toFixed(9)} s`],["duration",l||h.end_ns===void 0?
"did not return":M(h.end_ns-(f??0))],["call site",Z(h.site?.slice(0,1))||"unknown"],...(h.site??[]).slice(1).map(
v=>["called from",Z([v])])]),u("div",{},u("h3",{},"Messages of this call"),T))]})}};function yt(t){return u("d\
l",{class:"call"},...t.flatMap(([e,n])=>[u("dt",{},e),u("dd",{},n)]))}async function Mn(t,e,n,s,i,o,c){let a=[];
try{let r=await L("arrows",{t0:Math.floor(s),t1:Math.ceil(i),max:5e3},c,()=>{});for(let d of r.arrows??[]){let m=d.
from===n&&d.send===o.index,h=d.to===n&&d.receive===o.index;if(!m&&!h)continue;let l=m?d.to:d.from;if(a.push(u(
"dt",{},m?"to":"from"),u("dd",{},u("button",{type:"button",click:()=>t.call(0,l,0,m?d.receive:d.send)},`rank ${l}\
, call ${k(m?d.receive:d.send)}`),` ${d.bytes>=0?A(d.bytes):"size unknown"}, tag ${d.tag}`,d.wait_ns>0&&u("spa\
n",{class:"bad"},h?`; waited ${M(d.wait_ns)} for rank ${d.from}, which came late`:`; rank ${d.to} waited ${M(d.
wait_ns)} for this`))),a.length>40)break}}catch{}e.replaceChildren(...a.length?a:[u("dd",{},"none are known")])}var _n=[["sizes","sizes of messages"],["durations","durations of calls"]],Mt={id:"histogram",title:"Histogram",
command:t=>["histogram",...t.detail==="durations"?["--durations"]:[]],key:t=>V(t)+(t.panel==="histogram"?t.detail:
""),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,o=i.detail==="durations"?"durations":"sizes",c=u("div",{class:"\
controls"},q("show ",_n,o,r=>t.store.set({detail:r==="sizes"?"":r}))),a=[];if(o==="sizes"){let r=await L("hist\
ogram",z(i),n,s);for(let d of r.histograms)d.messages&&a.push(u("div",{},u("h3",{},`${d.kind==="p2p"?"point to\
 point":d.kind}: ${k(d.messages)} messages, ${A(d.bytes)}`),kt(d.bins.map(m=>({label:m.from===m.to?A(m.from):`${A(
m.from)} to ${A(m.to)}`,value:m.messages,text:`${k(m.messages)} messages, ${A(m.bytes)}`})))))}else{let r=await L(
"report",z(i),n,s);for(let d of[...r.calls??[]].sort((m,h)=>h.mpi.sum_ns-m.mpi.sum_ns).slice(0,6))a.push(u("di\
v",{},u("h3",{title:d.site},`${d.func} @ ${d.site.split(" < ")[0]}: median ${M(d.durations.p50_ns)}`),kt($n(d.
durations.bins??[]).map(m=>({label:`${M(m.from_ns)} to ${M(m.to_ns)}`,value:m.count,text:`${k(m.count)} calls`})))))}
return[c,a.length?u("div",{class:"columns"},...a):u("p",{class:"empty"},"There is nothing of this kind in the \
selection.")]})}};function $n(t){let e=new Map;for(let n of t){let s=Math.floor(Math.log2(Math.max(1,n.from_ns))),
i=e.get(s);i?i.count+=n.count:e.set(s,{from_ns:2**s,to_ns:2**(s+1),count:n.count})}return[...e.values()]}function kt(t){
let e=Math.max(1,...t.map(c=>c.value)),n=150,s=110,i=he("svg",{width:n+s+170,height:t.length*18+4,role:"list"});
t.forEach((c,a)=>{let r=a*18;i.append(he("g",{role:"listitem","aria-label":`${c.label}: ${c.text}`},he("text",
{x:n-6,y:r+13,"text-anchor":"end"},c.label),he("rect",{class:"value",x:n,y:r+3,width:Math.max(1,c.value/e*s),height:13}),
he("text",{x:n+c.value/e*s+5,y:r+13},c.text)))});let o=u("div",{class:"chart"});return o.append(i),o}var Sn=20,_t={id:"icicle",title:"Icicle",command:()=>["profile","--by","site"],key:t=>V(t)+(t.panel==="icicle"?
t.detail:""),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,o=await L("profile",{...z(i),by:"site"},n,s),c=o.
time_ns!==void 0,a={name:c?"time in calls":"calls",value:0,calls:0,call:!1,children:new Map};for(let y of o.rows){
let b=c?y.times?.total_ns??0:y.calls,x=[...y.site??[]].reverse().map(v=>v.func||(v.file??"?").replace(/^.*\//,
"")+(v.offset?"+0x"+v.offset.toString(16):"")),T=a;T.value+=b,T.calls+=y.calls;for(let v of[...x,y.func??""]){
let g=v===y.func&&v!=="",_=T.children.get(v);_||T.children.set(v,_={name:v,value:0,calls:0,call:g,children:new Map}),
T=_,T.value+=b,T.calls+=y.calls}}if(!a.value)return[u("p",{class:"empty"},"There is nothing of this kind in th\
e selection.")];let r=i.detail?i.detail.split(""):[],d=a;for(let y of r)d=d.children.get(y)??d;let m=u("div",
{class:"icicle",role:"tree","aria-label":"Functions by "+(c?"time":"calls")}),h=Math.max(400,e.clientWidth-40),
l=y=>`${y.name}: ${c?M(y.value):""} ${D(y.value/a.value)}, ${k(y.calls)} calls`,f=0,p=(y,b,x,T)=>{let v=y.value/
d.value*h;if(v<1.5||f++>3e3)return;let g=u("button",{type:"button",role:"treeitem",title:l(y),"aria-label":l(y),
click:()=>{y.call?t.store.select({function:y.name}):t.store.set({detail:(y===d?T.slice(0,-1):T).join("")})}},
v>30?y.name:"");g.style.left=b+"px",g.style.top=x*Sn+"px",g.style.width=Math.max(1,v-1)+"px",g.style.background=
y.call?ie(Y(3)):ie(Y(K.findIndex(w=>w.key==="lifecycle"))),y.call?g.style.color="#111820":g.style.color="inher\
it",m.append(g);let _=b;for(let w of[...y.children.values()].sort((P,j)=>j.value-P.value))p(w,_,x+1,[...T,w.name]),
_+=w.value/d.value*h};return p(d,0,0,r),[u("p",{class:"empty"},`As wide as ${c?"time in calls":"the number of \
calls"} of all selected ranks; orange: calls. A click unfolds, on the uppermost goes back.`),m]})}};var St={id:"loops",title:"Loops",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.selection.function,
t.selection.step_loop,t.panel==="loops"?t.detail:""]),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,o=await L(
"loops",{rank:i.selection.rank,function:i.selection.function,step_loop:i.selection.step_loop},n,s),c=Math.max(
0,Math.min(o.classes.length-1,Number(i.detail)||0)),a=o.classes[c];if(!a)return[u("p",{class:"empty"},"No call\
s are selected.")];let r=u("div",{},u("p",{class:"empty"},"A loop, or all of a rank, as C: choose \u2018as C\u2019.")),
d=u("div",{class:"tree"},Tt(a.body,a.blocks??[],0,t,m=>{$t(r,a.blocks??[],m)}));return[u("div",{class:"control\
s"},q("ranks that do the same ",o.classes.map((m,h)=>[String(h),`${m.ranks||"?"}${m.thread?", thread "+m.thread:
""} (${k(m.calls)} calls)`]),String(c),m=>t.store.set({detail:m==="0"?"":m})),u("span",{},`${k(o.classes.length)}\
 ${o.classes.length===1?"class":"classes"}`),u("button",{type:"button",click:()=>{$t(r,a.blocks??[])}},"all of\
 it as C")),u("div",{class:"columns"},d,r)]})}};function Tn(t){let e=t.site?.[0],n=Z(e?[e]:[]);return e?.last_line&&
e.last_line!==e.line?n.replace(/:(\d+)/,`:$1-${e.last_line}`):n}function Tt(t,e,n,s,i){let o=u("ul",{role:n?"g\
roup":"tree"});for(let c of t){let a=c.body??(c.block!==void 0?e[c.block]:void 0),r=c.min===c.max?k(c.min):`${k(
c.min)} to ${k(c.max)}`,d=u("li",{role:"treeitem"}),m=c.share_of_time!==void 0?D(c.share_of_time)+" of time":D(
c.share_of_calls)+" of calls",h=c.kind==="call"?`${r==="1"?"":r+" \xD7 "}${c.func}`:c.kind==="loop"?`loop, ${r}\
 times`:c.kind==="mixed"?"calls in no regular order":"block",l=(c.params??[]).filter(p=>/^(dest|source|count|sendcount|tag|root|comm)$/.
test(p.name)).map(p=>`${p.name} ${p.relation?"= "+p.relation:p.values.join(", ")+(p.more?", \u2026":"")}`).join(
"; "),f=u("span",{class:"node"+(c.time_step?" step":"")},c.kind==="call"?u("button",{type:"button",class:"text",
click:()=>s.store.select({function:c.func??""})},h):u("span",{},h),c.time_step&&u("span",{class:"bad"},"time s\
tep"),u("span",{class:"count"},m),u("span",{class:"params"},l),u("span",{class:"params",title:Z(c.site)},Tn(c)),
c.kind==="loop"&&u("button",{type:"button",click:()=>i(c)},"as C"));if(a?.length&&n<40){let p,y=n<3,b=u("butto\
n",{type:"button",class:"toggle","aria-expanded":y?"true":"false","aria-label":"unfold "+h},y?"\u25BE":"\u25B8"),
x=T=>{b.setAttribute("aria-expanded",String(T)),S(b,T?"\u25BE":"\u25B8"),p?.remove(),p=void 0,T&&d.append(p=Tt(
a,e,n+1,s,i))};b.addEventListener("click",()=>x(!p)),d.append(b,f),y&&x(!0)}else d.append(u("span",{class:"tog\
gle"}),f);o.append(d)}return o}function Lt(t,e,n=0){if(t.func||n>40)return t.func;for(let s of t.body??(t.block!==
void 0?e[t.block]??[]:[])){let i=Lt(s,e,n+1);if(i)return i}}async function $t(t,e,n){S(t,u("p",{class:"pending"},
"writing C \u2026"));try{let s=n?.site?.[0],i=await H("code",{times:n?.max,call:n?Lt(n,e):void 0}),o=i.text.split(
`
`),c=o.length>5e3?o.slice(0,5e3).join(`
`)+`
/* ${o.length-5e3} more lines: tabard proxy writes all */`:i.text;S(t,u("h3",{},`${i.title||(s?Z([s]):"")} (${k(
i.lines)} lines)`),u("pre",{class:"code",tabindex:0}));let a=t.querySelector("pre");a&&(a.textContent=c.replace(
/[^\S\n\t ]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,"\uFFFD"));
for(let r of i.notes??[])t.append(u("p",{class:"empty"},r))}catch(s){S(t,u("p",{class:"failed"},ne(s)))}}var ue=24;function O(t){if(!t.rows.length)return u("p",{class:"empty"},t.empty??"There is nothing of this kind\
 in the selection.");let e=t.rows,n=t.sort??-1,s=!1,i=Math.max(0,t.chosen?e.findIndex(t.chosen):0),o=u("tbody"),
c=u("tr",{"aria-rowindex":1}),a=u("table",{role:"grid","aria-label":t.label,"aria-rowcount":e.length+1},u("the\
ad",{},c),o),r=u("div",{class:"scroll",tabindex:-1},a);function d(){let b=t.columns[n]?.by;e=b?[...t.rows].sort(
(x,T)=>{let v=b(x),g=b(T);return(v<g?-1:v>g?1:0)*(s?1:-1)}):t.rows}function m(){S(c,...t.columns.map((b,x)=>u(
"th",{scope:"col",class:(b.number?"number":"")+(b.wide?" wide":""),title:b.help,"aria-sort":n===x?s?"ascending":
"descending":void 0},b.by?u("button",{type:"button",click:()=>{s=n===x?!s:!b.number,n=x,d(),m(),i=0,l()}},b.title+
(n===x?s?" \u25B4":" \u25BE":"")):b.title)))}function h(b){let x=u("tr",{"aria-hidden":"true"},u("td",{colspan:t.
columns.length,class:"spacer"}));return x.firstChild.style.height=b*ue+"px",x}function l(b=!1){let x=Math.max(
0,Math.floor(r.scrollTop/ue)-10),T=Math.min(e.length,x+Math.ceil((r.clientHeight||600)/ue)+20),v=[];x>0&&v.push(
h(x));for(let g=x;g<T;g++){let _=e[g],w=u("tr",{"aria-rowindex":g+2,tabindex:g===i?0:-1,"data-row":g,"aria-sel\
ected":t.chosen?.(_)?"true":void 0},...t.columns.map(P=>u("td",{class:(P.number?"number":"")+(P.wide?" wide":"")},
P.cell(_))));v.push(w),b&&g===i&&queueMicrotask(()=>w.focus({preventScroll:!0}))}T<e.length&&v.push(h(e.length-
T)),o.replaceChildren(...v)}function f(b){i=Math.max(0,Math.min(e.length-1,b));let x=i*ue;x<r.scrollTop?r.scrollTop=
x:x+2*ue>r.scrollTop+r.clientHeight&&(r.scrollTop=x+2*ue-r.clientHeight),l(!0)}function p(b){let x=e[b];x===void 0||
!t.choose||(i=b,t.choose(x))}a.addEventListener("click",b=>{let x=b.target.closest("tr[data-row]");x&&!b.target.
closest("button, a")&&p(Number(x.dataset.row))}),a.addEventListener("keydown",b=>{if(!b.target.closest("tbody"))
return;let x=Math.max(1,Math.floor(r.clientHeight/ue)-2),T={ArrowDown:i+1,ArrowUp:i-1,PageDown:i+x,PageUp:i-x,
Home:0,End:e.length-1}[b.key];if(T!==void 0)f(T);else if(b.key==="Enter"||b.key===" ")p(i);else return;b.preventDefault(),
b.stopPropagation()});let y=!1;return r.addEventListener("scroll",()=>{y||(y=!0,requestAnimationFrame(()=>{y=!1,
l(o.contains(document.activeElement))}))}),t.choose&&a.classList.add("choosable"),d(),m(),requestAnimationFrame(
()=>l()),l(),r}function U(t,e,n="bar"){let s=u("span",{class:"fill "+n,"aria-hidden":"true"});return s.style.width=
Math.max(0,Math.min(100,t*100))+"%",u("span",{class:"bar"},s,u("span",{class:"value"},e))}var Ct=[["p2p","point to point"],["collective","collectives"],["rma","one-sided"],["all","all"]],Pt=[["bytes",
"bytes"],["messages","messages"]];function qe(t){let[e="",n=""]=t.split(",");return[Ct.some(([s])=>s===e)?e:"p\
2p",Pt.some(([s])=>s===n)?n:"bytes"]}var Et={id:"matrix",title:"Matrix",command:t=>["matrix","--kind",qe(t.detail)[0]],
key:t=>JSON.stringify([t.selection,qe(t.detail)]),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,[o,c]=qe(i.detail),
a=await L("matrix",{...z(i),kind:o,bins:64},n,s),r=w=>a.columns.indexOf(w),[d,m,h,l]=[r("from"),r("to"),r("mes\
sages"),r("bytes")],f=a.cells??[],p=a.bins||a.processes,y=a.processes/p,b=w=>a.bins&&y>1?`${Math.ceil(w*y)}-${Math.
ceil((w+1)*y)-1}`:String(w),x=c==="bytes"?l:h,T=w=>c==="bytes"?A(w):c==="messages"?k(w):M(w),v=w=>{let P=[...new Set(
[w[d]??0,w[m]??0])].sort((j,me)=>j-me).map(b).join(",");t.store.select({rank:P})},g=Ln(f,p,d,m,x,w=>w?`${b(w[d]??
0)} to ${b(w[m]??0)}: ${k(w[h]??0)} messages, ${A(w[l]??0)}`:"",v,T,Math.max(120,e.clientHeight-96)),_=a.totals[o];
return[u("div",{class:"controls"},q("messages ",Ct,o,w=>t.store.set({detail:`${w},${c}`})),q("colour ",Pt,c,w=>t.
store.set({detail:`${o},${w}`})),_&&u("span",{},`${k(_.messages)} messages, ${A(_.bytes)}`+(_.nowhere?`; ${k(_.
nowhere)} to unknown partners`:"")),a.missing>0&&u("span",{class:"bad"},`${k(a.missing)} ranks are not selecte\
d or not recorded: what they send is not known`)),u("div",{class:"columns"},f.length?g:u("p",{class:"empty"},"\
No such messages in the selection."),u("div",{},O({label:"Messages by pairs of ranks",rows:f,sort:c==="bytes"?
3:2,choose:v,columns:[{title:a.bins&&y>1?"senders":"sender",number:!0,by:w=>w[d]??0,cell:w=>b(w[d]??0)},{title:a.
bins&&y>1?"receivers":"receiver",number:!0,by:w=>w[m]??0,cell:w=>b(w[m]??0)},{title:"messages",number:!0,by:w=>w[h]??
0,cell:w=>k(w[h]??0)},{title:"bytes",number:!0,by:w=>w[l]??0,cell:w=>A(w[l]??0)},{title:"mean size",number:!0,
by:w=>(w[l]??0)/(w[h]||1),cell:w=>A((w[l]??0)/(w[h]||1))}]})))]})}};function Ln(t,e,n,s,i,o,c,a,r){let d=Math.
max(e,1),m=u("canvas",{width:d,height:d,role:"img","aria-label":"Senders from top to bottom, receivers from le\
ft to right. The table beside it has the same as text."}),h=Math.max(1,...t.map(g=>g[i]??0)),l=Math.min(...t.map(
g=>g[i]||1/0)),f=m.getContext("2d"),p=new Map;if(f){let g=f.createImageData(d,d);for(let _ of t){let[w,P,j]=[_[n]??
0,_[s]??0,_[i]??0];if(p.set(w*d+P,_),!j)continue;let me=h>l?Math.log(j/l)/Math.log(h/l):1,oe=3*Math.round(255*
Math.max(0,Math.min(1,.06+.94*me)));g.data.set([F[oe]??0,F[oe+1]??0,F[oe+2]??0,255],4*(w*d+P))}f.putImageData(
g,0,0)}let y=u("p",{class:"under","aria-hidden":"true"},"rows send, columns receive"),b=Math.max(1,Math.min(28,
Math.floor(r/d)));m.style.width=b*d+"px",m.style.height=b*d+"px";let x=g=>p.get(Math.floor(g.offsetY/b)*d+Math.
floor(g.offsetX/b));m.addEventListener("pointermove",g=>S(y,o(x(g))||"rows send, columns receive")),m.addEventListener(
"click",g=>{let _=x(g);_&&c(_)});let T=u("canvas",{class:"ramp",width:256,height:1,"aria-hidden":"true"}),v=T.
getContext("2d");if(v){let g=v.createImageData(256,1);for(let _=0;_<256;_++)g.data.set([F[3*_]??0,F[3*_+1]??0,
F[3*_+2]??0,255],4*_);v.putImageData(g,0,0)}return u("div",{class:"narrow"},u("div",{class:"picture"},m),y,u("\
div",{class:"legend"},u("span",{class:"key"},Number.isFinite(l)?a(l):"",T,a(h))))}var Rt={id:"messages",title:"Messages",command:()=>["messages"],key:t=>JSON.stringify(t.selection),show:(t,e)=>{
E(e,async(n,s)=>{let i=t.store.now,[o,c]=t.window(),a=await L("messages",z(i),n,s),r=await L("arrows",{t0:Math.
floor(o),t1:Math.ceil(c),max:1},n,s).catch(()=>null),d=u("div",{},u("h3",{},`${k(a.messages)} messages, ${A(a.
bytes)}; ${k(a.unmatched_sends)} were never received, ${k(a.unmatched_receives)} receives got none`+(a.incomplete.
length?`; ${k(a.incomplete.length)} collectives lack members`:"")),a.unmatched.length?O({label:"Messages witho\
ut a partner",rows:a.unmatched,choose:l=>t.call(0,l.first.process,0,l.first.call),columns:[{title:"what",by:l=>l.
kind,cell:l=>l.kind},{title:"count",number:!0,by:l=>l.count,cell:l=>k(l.count)},{title:"bytes",number:!0,by:l=>l.
bytes,cell:l=>A(l.bytes)},{title:"ranks",cell:l=>l.processes},{title:"peer",number:!0,cell:l=>l.first.peer??"a\
ny"},{title:"tag",number:!0,cell:l=>l.first.tag??"any"},{title:"why",by:l=>l.reason,cell:l=>l.reason},{title:"\
call",wide:!0,cell:l=>`${l.function} @ ${l.site}`}]}):u("p",{class:"empty"},"Every message has a sender and a \
receiver."),a.incomplete.length?O({label:"Collectives that not all members made",rows:a.incomplete,choose:l=>t.
store.select({function:l.function}),columns:[{title:"missing",number:!0,by:l=>l.missing,cell:l=>`${l.missing} \
of ${l.members}`},{title:"came",cell:l=>"ranks "+l.present},{title:"collective",wide:!0,cell:l=>`${l.function}\
 @ ${l.site}`}]}):null),m=u("div",{},u("h3",{},"To whom, as functions of the rank"),O({label:"Partners as func\
tions of the rank",rows:r?.formulas??[],sort:0,empty:"No partner follows from the rank here.",choose:l=>t.store.
select({function:l.func}),columns:[{title:"calls",number:!0,by:l=>l.calls,cell:l=>k(l.calls)},{title:"formula",
by:l=>l.text,cell:l=>u("code",{},l.text)},{title:"ranks",by:l=>l.ranks,cell:l=>l.ranks},{title:"call",wide:!0,
by:l=>l.func,cell:l=>u("span",{title:l.site},`${l.func} @ ${l.site}`)}]})),h=r?.bundles?.length?u("div",{class:"\
narrow"},u("h3",{},"Pairs of ranks"),O({label:"Messages by pairs of ranks",rows:r.bundles,sort:3,choose:l=>t.store.
select({rank:l.from===l.to?String(l.from):[l.from,l.to].sort((f,p)=>f-p).join(",")}),columns:[{title:"from",number:!0,
by:l=>l.from,cell:l=>l.from},{title:"to",number:!0,by:l=>l.to,cell:l=>l.to},{title:"messages",number:!0,by:l=>l.
messages,cell:l=>k(l.messages)},{title:"bytes",number:!0,by:l=>l.bytes,cell:l=>A(l.bytes)}]})):null;return[u("\
div",{class:"columns"},d,m,...h?[h]:[])]})}};var At={id:"comms",title:"Communicators",command:()=>["info","--comms"],key:t=>String(t.selection.comm),show:(t,e)=>{
E(e,async(n,s)=>{let i=await L("comms",{},n,s);return[O({label:"Communicators",rows:i.communicators,chosen:o=>t.
store.now.selection.comm===String(o.id),choose:o=>t.store.select({comm:t.store.now.selection.comm===String(o.id)?
"":String(o.id)}),columns:[{title:"number",number:!0,by:o=>o.id,cell:o=>o.id},{title:"name",by:o=>o.name,cell:o=>o.
name+(o.labels?.length?` (${o.labels.join(", ")})`:"")},{title:"size",number:!0,by:o=>o.size,cell:o=>k(o.size)},
{title:"made",number:!0,by:o=>o.made,cell:o=>k(o.made)},{title:"freed",number:!0,by:o=>o.freed,cell:o=>k(o.freed)},
{title:"made by",by:o=>o.how,cell:o=>o.how},{title:"members",wide:!0,cell:o=>u("span",{title:o.members},o.members)},
{title:"where",wide:!0,by:o=>o.site??"",cell:o=>u("span",{title:o.site??""},o.site??"")}]})]})}},Nt={id:"ranks",
title:"Ranks",command:()=>["report"],key:V,show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,c=(await L("report",
z(i,["rank"]),n,s)).ranks??[],a=Math.max(1,...c.map(r=>Math.max(r.mpi_ns,r.computation_ns)));return[O({label:"\
Ranks",rows:c,empty:"There are no times in the selection.",chosen:r=>i.selection.rank===String(r.process),choose:r=>t.
store.select({rank:i.selection.rank===String(r.process)?"":String(r.process)}),columns:[{title:"rank",number:!0,
by:r=>r.process,cell:r=>r.process},{title:"computation",number:!0,by:r=>r.computation_ns,cell:r=>U(r.computation_ns/
a,M(r.computation_ns))},{title:"in calls",number:!0,by:r=>r.mpi_ns,cell:r=>U(r.mpi_ns/a,M(r.mpi_ns),"warm")},{
title:"share in calls",number:!0,by:r=>r.mpi_ns/(r.mpi_ns+r.computation_ns||1),cell:r=>D(r.mpi_ns/(r.mpi_ns+r.
computation_ns||1))},{title:"calls",number:!0,by:r=>r.calls,cell:r=>k(r.calls)},{title:"begins",number:!0,by:r=>r.
begin_ns,cell:r=>M(r.begin_ns)},{title:"ends",number:!0,by:r=>r.end_ns,cell:r=>M(r.end_ns)},{title:"",wide:!0,
cell:()=>""}]})]})}},Ot={id:"steps",title:"Steps",command:()=>["report"],key:t=>JSON.stringify([t.selection.steps,
t.selection.step_loop]),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,o=await L("steps",{step_loop:i.selection.
step_loop},n,s),c=new Map((o.slow??[]).map(m=>[Math.floor(m.step/o.stride),m])),a=o.begin_ns.map((m,h)=>({i:h,
begin:m,length:o.length_ns[h]??0,mean:o.mean_ns[h]??0,work:o.computation_ns[h]??0,slow:c.get(h)})),r=Math.max(
1,...a.map(m=>m.length)),d=m=>o.stride>1?`${m*o.stride}-${Math.min(o.total,(m+1)*o.stride)-1}`:String(m);return[
u("h3",{},`${k(o.total)} time steps${o.loop?" of the loop at "+o.loop:o.region?" (region "+o.region+")":""}, m\
edian ${M(o.median_ns)}`),O({label:"Time steps",rows:a,empty:"No time steps were found.",chosen:m=>i.selection.
steps===d(m.i),choose:m=>t.store.select({steps:i.selection.steps===d(m.i)?"":d(m.i),time:""}),columns:[{title:"\
step",number:!0,by:m=>m.i,cell:m=>d(m.i)},{title:"begins",number:!0,by:m=>m.begin,cell:m=>`${(m.begin/1e9).toFixed(
6)} s`},{title:"slowest rank",number:!0,by:m=>m.length,cell:m=>U(m.length/r,M(m.length),m.slow?"warm":"bar")},
{title:"mean",number:!0,by:m=>m.mean,cell:m=>M(m.mean)},{title:"most computation",number:!0,by:m=>m.work,cell:m=>M(
m.work)},{title:"too long by",number:!0,by:m=>m.slow?.excess_ns??0,cell:m=>m.slow?M(m.slow.excess_ns):""},{title:"\
because of",wide:!0,by:m=>m.slow?.cause??"",cell:m=>m.slow?`${m.slow.cause}${m.slow.process>=0?`, rank ${m.slow.
process}`:""}`:""}]})]})}},Ht={id:"outliers",title:"Odd ranks",command:()=>["outliers"],key:V,show:(t,e)=>{E(e,
async(n,s)=>{let i=await L("outliers",z(t.store.now),n,s);return[O({label:"Ranks that did something else than \
the others",rows:i.outliers,empty:`All ranks do what others do too (${k(i.variants.length)} ${i.variants.length===
1?"variant":"variants"} of calls).`,choose:o=>{let c=i.variants[o.variant]?.ranks??"",a=/^\d+/.exec(c)?.[0];t.
store.select({rank:c}),a&&t.call(0,Number(a),0,o.call)},columns:[{title:"ranks",by:o=>i.variants[o.variant]?.ranks??
"",cell:o=>i.variants[o.variant]?.ranks??""},{title:"like",cell:o=>i.variants[o.of]?`to ${i.variants[o.of]?.ranks}`:
""},{title:"how",by:o=>o.kind,cell:o=>o.kind},{title:"differences",number:!0,by:o=>o.differences,cell:o=>k(o.differences)},
{title:"what",wide:!0,by:o=>o.what,cell:o=>u("span",{title:o.what},o.what)}]})]})}},Dt={id:"compare",title:"Co\
mpare",command:()=>["diff"],key:V,show:(t,e)=>{E(e,async(n,s)=>{let i=await L("diff",z(t.store.now),n,s),o=i.times,
c=Math.max(1,...(o?.sites??[]).map(a=>Math.abs(a.b_ns-a.a_ns)));return[u("div",{class:"columns"},u("div",{},u(
"h3",{},i.same?"No differences in calls":`${k(i.total_differences)} differences in calls`),O({label:"Differenc\
es",rows:i.differences,empty:"Both made the same calls.",choose:a=>{let r=a.loops?.find(m=>m.step),d=/^\d+/.exec(
a.ranks)?.[0];t.store.select({rank:a.ranks,...r?{steps:String(r.iteration),time:""}:{}}),d&&!r&&t.call(a.world??
0,Number(d),a.thread??0,a.call_a)},columns:[{title:"kind",by:a=>a.kind,cell:a=>a.kind},{title:"ranks",by:a=>a.
num_ranks,cell:a=>a.ranks},{title:"step",number:!0,by:a=>a.loops?.find(r=>r.step)?.iteration??-1,cell:a=>a.loops?.
find(r=>r.step)?.iteration??""},{title:"what",wide:!0,cell:a=>u("span",{title:a.text},a.text)}]})),u("div",{},
u("h3",{},o?`time ${M(o.elapsed_a_ns)} and ${M(o.elapsed_b_ns)}`:"no times"),o?O({label:"Time by call site in \
both",rows:o.sites,choose:a=>t.store.select({function:a.func}),columns:[{title:"second takes more",number:!0,by:a=>a.
b_ns-a.a_ns,cell:a=>U(Math.abs(a.b_ns-a.a_ns)/c,(a.b_ns>a.a_ns?"+":"")+M(a.b_ns-a.a_ns),a.b_ns>a.a_ns?"warm":"\
bar")},{title:"first",number:!0,by:a=>a.a_ns,cell:a=>M(a.a_ns)},{title:"second",number:!0,by:a=>a.b_ns,cell:a=>M(
a.b_ns)},{title:"call",wide:!0,by:a=>a.func,cell:a=>u("span",{title:a.site??""},`${a.func} @ ${a.site??""}`)}]}):
null),...i.notes?.length?[u("div",{class:"narrow"},...i.notes.map(a=>u("p",{class:"empty"},a)))]:[])]})}};var zt=[["site","call site"],["function","function"],["comm","communicator"],["rank","rank"]];function We(t){return zt.
some(([e])=>e===t)?t:"site"}var Ft={id:"sites",title:"Call sites",command:t=>["profile","--by",We(t.detail)],key:t=>V(
t)+We(t.detail),show:(t,e)=>{E(e,async(n,s)=>{let i=t.store.now,o=We(i.detail),c=await L("profile",{...z(i),by:o},
n,s),a=h=>u("div",{class:"controls"},q("by ",zt,o,l=>t.store.set({detail:l==="site"?"":l})),u("span",{class:"n\
ote",role:"status"},h));if(o!=="site"||!t.overview.timed)return[a(""),Ce(t,c,null,o)];let r=h=>{e.firstElementChild?.
classList.contains("controls")&&S(e.firstElementChild.lastElementChild,h)},d=L("waits",z(i),n,h=>r(`waiting is\
 worked out: ${h.what} \u2026`)).catch(()=>null),m=await Promise.race([d,new Promise(h=>setTimeout(()=>h(void 0),
700))]);return m!==void 0?[a(""),Ce(t,c,m,o)]:(d.then(h=>{n.aborted||S(e,a(h?"":"waiting is not known"),Ce(t,c,
h,o))}),[a("waiting is worked out \u2026"),Ce(t,c,null,o)])})}};function Ce(t,e,n,s){let i=t.store.now,o=new Map,
c=new Map;for(let l of n?.causes??[])jt(o,l.late.func+" @ "+l.late.site,l.time_ns);for(let l of n?.waits??[])jt(
c,l.waiting.func+" @ "+l.waiting.site,l.time_ns);let a=e.rows.map(l=>{let f=Z(l.site),p=`${l.func} @ ${f}`;return{
...l,where:f,name:Cn(l),caused:o.get(p)??0,waited:c.get(p)??0}}),r=e.elapsed_ns??0,d=e.time_ns!==void 0,m=Math.
max(1,...a.map(l=>l.times?.total_ns??0)),h=Math.max(1,...a.map(l=>l.caused));return O({label:"Calls, by "+s,rows:a,
sort:n||d?0:1,chosen:l=>s==="rank"?i.selection.rank===String(l.rank):s==="comm"?i.selection.comm===String(l.comm?.
id):!!l.func&&i.selection.function===l.func,choose:l=>{s==="rank"?t.store.select({rank:i.selection.rank===String(
l.rank)?"":String(l.rank)}):s==="comm"?t.store.select({comm:i.selection.comm===String(l.comm?.id)?"":String(l.
comm?.id)}):l.func&&t.store.select({function:i.selection.function===l.func?"":l.func})},columns:[...n?[{title:"\
causes waiting",number:!0,by:l=>l.caused||l.waited/1e9,help:"waiting of other ranks that goes back to ranks co\
ming late to these calls",cell:l=>l.caused?U(l.caused/h,M(l.caused),"warm"):""}]:[],...d?[{title:"time",number:!0,
by:l=>l.times?.total_ns??0,cell:l=>U((l.times?.total_ns??0)/m,M(l.times?.total_ns??0))},{title:"share",number:!0,
by:l=>l.times?.total_ns??0,help:"of the time of all ranks",cell:l=>D((l.times?.total_ns??0)/(s==="rank"?l.elapsed_ns||
1:r||1))}]:[],...n?[{title:"waiting in it",number:!0,by:l=>l.waited,cell:l=>l.waited?M(l.waited):""}]:[],{title:"\
calls",number:!0,by:l=>l.calls,cell:l=>k(l.calls)},...d?[{title:"mean",number:!0,by:l=>l.times?.mean_ns??0,cell:l=>l.
times?M(l.times.mean_ns):""},{title:"longest",number:!0,by:l=>l.times?.max_ns??0,cell:l=>l.times?M(l.times.max_ns):
""}]:[],{title:"bytes",number:!0,by:l=>l.bytes,cell:l=>l.bytes?A(l.bytes):""},...s==="site"||s==="function"?[{
title:"ranks",number:!0,by:l=>l.ranks,cell:l=>k(l.ranks)}]:[],{title:s==="site"?"function":s,by:l=>s==="rank"?
l.rank??0:l.name,cell:l=>l.name},...s==="site"?[{title:"call site",wide:!0,by:l=>l.where,cell:l=>u("span",{title:l.
where},l.where||"unknown")}]:[]]})}function Cn(t){return t.comm?t.comm.name:t.rank!==void 0?(t.world?`w${t.world}\
:`:"")+t.rank:t.func??""}function jt(t,e,n){t.set(e,(t.get(e)??0)+n)}var Kt=[["causes","causes"],["places","where they wait"],["ranks","ranks"],["steps","time steps"]];function It(t){
let e={view:"causes"};for(let n of t.split(",")){let[s="",i]=n.split(":");s==="cause"&&i?e.cause=i:s==="kind"&&
i?e.kind=i:Kt.some(([o])=>o===s)&&(e.view=s)}return e}function Pn(t){return[t.view,t.cause&&"cause:"+t.cause,t.
kind&&"kind:"+t.kind].filter(Boolean).join(",")}var Ut={id:"waits",title:"Waits",command:t=>{let e=It(t.detail);return["waits",...e.cause?["--cause",e.cause]:
[],...e.kind?["--kind",e.kind]:[]]},key:t=>JSON.stringify([t.selection,t.detail]),show:(t,e)=>{E(e,async(n,s)=>{
let i=t.store.now,o=It(i.detail),c=z(i,o.cause?["rank"]:[]),a=await L("waits",{...c,cause:o.cause,kind:o.kind},
n,s),r=l=>t.store.set({detail:Pn({...o,...l})}),d=Object.entries(a.kinds).filter(([,l])=>l.count>0).sort((l,f)=>f[1].
time_ns-l[1].time_ns),m=Math.max(1,...d.map(([,l])=>l.time_ns)),h=u("div",{class:"narrow"},u("h3",{},`${M(a.total.
time_ns)} in ${k(a.total.count)} waits, ${D(a.total.time_ns/(a.elapsed_ns||1))} of the time`),O({label:"Kinds \
of waits",rows:d,empty:"Nobody waits for anybody in the selection.",chosen:([l])=>o.kind===l.replaceAll(" ","-"),
choose:([l])=>r({kind:o.kind===l.replaceAll(" ","-")?"":l.replaceAll(" ","-")}),columns:[{title:"pattern",by:([
l])=>l,cell:([l])=>l},{title:"waits",number:!0,by:([,l])=>l.count,cell:([,l])=>k(l.count)},{title:"time",number:!0,
by:([,l])=>l.time_ns,cell:([,l])=>U(l.time_ns/m,M(l.time_ns),"warm")}]}));return[u("div",{class:"controls"},q(
"show ",Kt,o.view,l=>r({view:l})),o.cause!==void 0&&u("span",{},`only what rank ${o.cause} causes `,u("button",
{type:"button",click:()=>r({cause:""})},"show all")),o.kind!==void 0&&u("span",{},`only ${o.kind.replaceAll("-",
" ")} `,u("button",{type:"button",click:()=>r({kind:""})},"show all"))),u("div",{class:"columns"},h,u("div",{},
En(a,o.view,t)))]})}};function En(t,e,n){let s=a=>n.store.select({steps:String(a),time:""}),i=(a,r=-1)=>n.store.
select(r>=0?{rank:String(a),steps:String(r),time:""}:{rank:String(a)},{detail:`causes,cause:${a}`}),o=a=>u("sp\
an",{title:a},a);if(e==="places"){let a=Math.max(1,...t.waits.map(r=>r.time_ns));return O({label:"Where ranks \
wait",rows:t.waits,choose:r=>n.store.select({function:r.waiting.func}),columns:[{title:"time",number:!0,by:r=>r.
time_ns,cell:r=>U(r.time_ns/a,M(r.time_ns),"warm")},{title:"waits",number:!0,by:r=>r.count,cell:r=>k(r.count)},
{title:"longest",number:!0,by:r=>r.max_ns,cell:r=>M(r.max_ns)},{title:"pattern",by:r=>r.kind,cell:r=>r.kind},{
title:"waiting most",by:r=>r.waiters?.[0]?.process??-1,cell:r=>r.waiters?.[0]?`rank ${r.waiters[0].process}`:""},
{title:"for",by:r=>r.causers?.[0]?.process??-1,cell:r=>r.causers?.[0]?`rank ${r.causers[0].process}`:""},{title:"\
waiting in",wide:!0,by:r=>r.waiting.site,cell:r=>o(`${r.waiting.func} @ ${r.waiting.site}`)},{title:"late in",
wide:!0,by:r=>r.late.site,cell:r=>o(`${r.late.func} @ ${r.late.site}`)}]})}if(e==="ranks"){let a=Math.max(1,...t.
processes.map(d=>d.root_ns)),r=d=>Object.values(d.waited_ns).reduce((m,h)=>m+h,0);return O({label:"Ranks by th\
e waiting that goes back to them",rows:t.processes,sort:1,choose:d=>i(d.process),columns:[{title:"rank",number:!0,
by:d=>d.process,cell:d=>d.process},{title:"goes back to it",number:!0,by:d=>d.root_ns,cell:d=>U(d.root_ns/a,M(
d.root_ns),"warm")},{title:"others wait for it",number:!0,by:d=>d.caused_ns,cell:d=>M(d.caused_ns)},{title:"it\
 waits",number:!0,by:r,cell:d=>M(r(d))},{title:"mostly",wide:!0,cell:d=>Object.entries(d.waited_ns).sort((m,h)=>h[1]-
m[1])[0]?.[0]??""}]})}if(e==="steps"){let a=Math.max(1,...t.steps.map(r=>r.time_ns));return O({label:"Waiting \
by time step",rows:t.steps,sort:1,empty:"No time steps were found.",choose:r=>s(r.step),columns:[{title:"step",
number:!0,by:r=>r.step,cell:r=>k(r.step)},{title:"waiting",number:!0,by:r=>r.time_ns,cell:r=>U(r.time_ns/a,M(r.
time_ns),"warm")},{title:"because of",number:!0,by:r=>r.cause_ns,cell:r=>r.cause>=0?M(r.cause_ns):""},{title:"\
mostly because",wide:!0,cell:r=>{let d=t.causes[r.cause];return d?o(`rank ${d.process} comes late to ${d.late.
func} @ ${d.late.site}`):""}}]})}let c=Math.max(1,...t.causes.map(a=>a.time_ns));return O({label:"Causes of wa\
iting",rows:t.causes,choose:a=>i(a.process,a.worst_step),columns:[{title:"waiting",number:!0,by:a=>a.time_ns,cell:a=>U(
a.time_ns/c,M(a.time_ns),"warm")},{title:"waits",number:!0,by:a=>a.waits,cell:a=>k(a.waits)},{title:"late rank",
number:!0,by:a=>a.process,cell:a=>a.process},{title:"worst step",number:!0,by:a=>a.worst_step,cell:a=>a.worst_step>=
0?`${k(a.worst_step)} (${M(a.worst_step_ns)})`:""},{title:"comes late to",wide:!0,by:a=>a.late.site,cell:a=>o(
`${a.late.func} @ ${a.late.site}`)}]})}function qt(t,e,n,s){let i=[n[0]],o=[s[0]],c=t&&e&&t.stride===e.stride?Math.min(t.begin_ns.length,e.begin_ns.length):
0;for(let a=0;a<c;a++){let r=t?.begin_ns[a]??0,d=e?.begin_ns[a]??0;r>(i.at(-1)??0)&&d>(o.at(-1)??0)&&(i.push(r),
o.push(d))}return i.push(Math.max(n[1],(i.at(-1)??0)+1)),o.push(Math.max(s[1],(o.at(-1)??0)+1)),a=>{let r=0,d=i.
length-2;for(;r<d;){let p=r+d+1>>1;(i[p]??0)<=a?r=p:d=p-1}let[m=0,h=1,l=0,f=1]=[i[r],i[r+1],o[r],o[r+1]];return l+
(a-m)/(h-m)*(f-l)}}async function Be(t,e,n,s,i){let o=await H("overview",{rec:1});if(!o.grid||!t.overview.grid)
return;let c=await H("steps",{rec:1}).catch(()=>{}),a=[t.overview.grid.from_ns,t.overview.grid.to_ns],r=[o.grid.
from_ns,o.grid.to_ns],d=new pe({rec:1,overview:o,store:t.store,own:qt(i,c,a,r),shared:qt(c,i,r,a)});d.element.
classList.add("second"),n.append(u("h2",{},`${o.name}: coupled with the first by ${i?.total&&c?.total?"iterati\
on":"time"}`),d.element),s.push(d),c&&d.setSteps(c),An(t,e,d)}var Rn=40;async function An(t,e,n){let s=await H(
"diff").catch(()=>null);for(let i of s?.differences.slice(0,Rn)??[]){let o=Number(/^\d+/.exec(i.ranks)?.[0]??-1);
if(o<0)continue;let c=i.loops?.find(r=>r.step),a=()=>t.store.select({rank:i.ranks,...c?{steps:String(c.iteration),
time:""}:{}},{panel:"compare"});for(let[r,d,m]of[[0,e,i.call_a],[1,n,i.call_b]]){let l=(await H("calls",{rec:r||
void 0,rank:o,thread:i.thread||void 0,from:m,limit:1}).catch(()=>null))?.calls[0]?.start_ns;l!==void 0&&(d.markers.
push({at:l,rank:o,text:i.text,choose:a}),d.draw())}}}function Wt(t){let e=u("ul",{class:"hits",id:"hits",role:"listbox","aria-label":"What was found",hidden:!0}),n=u(
"input",{type:"search",placeholder:"search  ( / )","aria-label":"Search functions, call sites, ranks, values",
role:"combobox","aria-controls":"hits","aria-expanded":"false",autocomplete:"off",spellcheck:"false",disabled:W}),
s=[],i=-1,o=new AbortController,c=0;function a(){e.hidden=!0,n.setAttribute("aria-expanded","false"),i=-1}function r(){
[...e.children].forEach((h,l)=>{h.setAttribute("aria-selected",String(l===i)),l===i&&h.scrollIntoView({block:"\
nearest"})}),i>=0?n.setAttribute("aria-activedescendant",`hit${i}`):n.removeAttribute("aria-activedescendant")}
function d(h){a(),n.blur();let l={};for(let[f,p]of Object.entries(h.select??{}))J.includes(f)&&(l[f]=p);t.store.
select(l),h.rank>=0&&(h.kind==="value"||h.kind==="site")&&t.call(0,h.rank,h.thread,h.call),t.say(`${h.kind} ${h.
text} selected`)}async function m(h){o.abort(),o=new AbortController;let l=o;if(!h)return a();e.hidden=!1,n.setAttribute(
"aria-expanded","true");try{let f=await H("search",{q:h,limit:50},{signal:l.signal,pending:p=>S(e,u("li",{},p.
what+" \u2026"))});if(l.signal.aborted)return;s=f.hits??[],i=s.length?0:-1,S(e,...s.map((p,y)=>u("li",{role:"o\
ption",id:`hit${y}`,pointerdown:b=>{b.preventDefault(),d(p)}},u("span",{class:"kind"},p.kind),u("span",{class:"\
text",title:p.text},p.text),u("span",{},p.calls?k(p.calls):""))),s.length?null:u("li",{},"Nothing is called th\
at."),f.more?u("li",{class:"kind"},"There is more: write more of it."):null),r()}catch(f){l.signal.aborted||S(
e,u("li",{class:"bad"},f instanceof Error?f.message:String(f)))}}return n.addEventListener("input",()=>{clearTimeout(
c),c=setTimeout(()=>{m(n.value.trim())},120)}),n.addEventListener("blur",a),n.addEventListener("keydown",h=>{let l=s.
length;if(h.key==="ArrowDown"&&l)i=(i+1)%l;else if(h.key==="ArrowUp"&&l)i=(i+l-1)%l;else if(h.key==="Enter"&&s[i])
d(s[i]);else if(h.key==="Escape")a(),n.blur();else return;h.preventDefault(),r()}),{element:u("div",{class:"se\
arch"},n,e),focus:()=>{n.focus(),n.select()}}}var G=54,Q=78,Pe=class{constructor(e){this.store=e;this.element=u("div",{class:"strip"},this.canvas,this.tip),
new ResizeObserver(()=>this.draw()).observe(this.element),addEventListener("themechange",()=>this.draw()),e.listen(
(s,i)=>{s.selection.steps!==i.selection.steps&&this.draw()});let n=this.canvas;n.addEventListener("pointerdown",
s=>{n.setPointerCapture(s.pointerId),this.drag={x:s.offsetX,x1:s.offsetX}}),n.addEventListener("pointermove",s=>{
this.drag?(this.drag.x1=s.offsetX,this.draw()):this.point(s.offsetX)}),n.addEventListener("pointerleave",()=>this.
tip.hidden=!0),n.addEventListener("pointerup",()=>{let s=this.drag;this.drag=void 0;let i=this.steps;if(!s||!i?.
begin_ns.length)return;let[o,c]=[this.at(Math.min(s.x,s.x1)),this.at(Math.max(s.x,s.x1))],a=Math.min(i.total-1,
(c+1)*i.stride-1),r=o*i.stride;e.select({steps:r===a?String(r):`${r}-${a}`,time:""})})}store;element;canvas=u(
"canvas",{tabindex:0,role:"img"});tip=u("div",{class:"tip",hidden:!0});steps;width=0;waiting=!1;drag;show(e){this.
steps=e;let n=e.slow?.length??0;this.canvas.setAttribute("aria-label",`Durations of ${I(e.total,"time step")},\
 median ${M(e.median_ns)}, ${I(n,"step")} unusually long. The table Steps has the same as text.`),this.draw()}none(e){
S(this.element,u("p",{class:"empty"},e))}at(e){let n=this.steps?.begin_ns.length??1;return Math.max(0,Math.min(
n-1,Math.floor((e-Q)/(this.width-Q)*n)))}draw(){this.waiting||(this.waiting=!0,requestAnimationFrame(()=>{this.
waiting=!1,this.paint()}))}paint(){let e=this.steps;if(this.width=this.element.clientWidth,!e||!this.width)return;
let n=devicePixelRatio||1;this.canvas.width=this.width*n,this.canvas.height=G*n,this.canvas.style.width=this.width+
"px",this.canvas.style.height=G+"px";let s=this.canvas.getContext("2d");if(!s)return;s.setTransform(n,0,0,n,0,
0),s.fillStyle=C("paper"),s.fillRect(0,0,this.width,G);let i=e.length_ns.length;if(!i)return;let o=[...e.length_ns].
sort((l,f)=>l-f),c=Math.min(o[i-1]??1,Math.max((o[Math.floor(i*.99)]??1)*1.5,e.median_ns*4)),a=new Set((e.slow??
[]).map(l=>Math.floor(l.step/e.stride))),r=ce(this.store.now.selection.steps,e.total),d=this.width-Q,m=l=>G-2-
Math.min(1,l/c)*(G-8),h=d/i;for(let l=0;l<i;l++){let f=Q+l*h,p=e.length_ns[l]??0,y=r&&(l*e.stride+e.stride-1<r[0]||
l*e.stride>r[1]);s.globalAlpha=y?.35:1,s.fillStyle=a.has(l)?C("bad"):C("step");let b=Math.max(h-(h>4?1:0),a.has(
l)?2:.6);if(s.fillRect(f,m(p),b,G-m(p)),h>2){s.fillStyle=C("stepwork");let x=m(e.computation_ns[l]??0);s.fillRect(
f,x,b,G-x)}p>c&&(s.fillStyle=C("paper"),s.fillRect(f,10,b,2))}s.globalAlpha=1,s.strokeStyle=C("accent"),s.setLineDash(
[3,3]),s.beginPath(),s.moveTo(Q,m(e.median_ns)+.5),s.lineTo(this.width,m(e.median_ns)+.5),s.stroke(),s.setLineDash(
[]),s.fillStyle=C("faint"),s.font="11px system-ui, DejaVu Sans, sans-serif",s.textAlign="right",s.fillText(M(c),
Q-6,14),s.fillText("steps",Q-6,G-6),Math.abs(m(e.median_ns)-14)>14&&Math.abs(m(e.median_ns)-G+6)>14&&s.fillText(
"median",Q-6,m(e.median_ns)+4),this.drag&&(s.fillStyle=C("select"),s.fillRect(Math.min(this.drag.x,this.drag.x1),
0,Math.abs(this.drag.x1-this.drag.x),G))}point(e){let n=this.steps;if(!n?.begin_ns.length||e<Q){this.tip.hidden=
!0;return}let s=this.at(e),i=(n.slow??[]).find(c=>Math.floor(c.step/n.stride)===s),o=s*n.stride;S(this.tip,u("\
b",{},n.stride>1?`steps ${o}-${Math.min(n.total,o+n.stride)-1}`:`step ${o}`),u("div",{},`${M(n.length_ns[s]??0)}\
, computation ${M(n.computation_ns[s]??0)}`),u("div",{},`median of all ${M(n.median_ns)}`),i&&u("div",{class:"\
bad"},`${M(i.excess_ns)} too long: ${i.cause}${i.process>=0?`, rank ${i.process}`:""}`)),this.tip.hidden=!1,this.
tip.style.left=Math.min(e+12,this.width-this.tip.offsetWidth-4)+"px",this.tip.style.top="4px"}};var $=new ve;async function Nn(){let t;try{t=await H("overview")}catch(e){document.body.replaceChildren(u("p",
{class:"fatal",role:"alert"},ne(e)));return}document.title=te(t.name)+" - tabard",On(t)}function On(t){let e=u(
"span",{class:"status",role:"status"}),n=h=>S(e,h),s,i=[],o=()=>i[0],c=[t.grid?.from_ns??0,t.grid?.to_ns??1],a={
store:$,overview:t,say:n,steps:()=>s,look:(h,l)=>{let f=o();f&&f.look(h,l,f.view[2],f.view[3],!1)},call:(h,l,f,p)=>$.
set({call:[h,l,f,p],panel:"call"}),window:()=>ge($.now.selection.time,...c)??c},r=Wt(a),d=[Ft,Ut,xt,Rt,Et,St,_t,
Mt,Nt,Ot,At,Ht];t.recordings>1&&d.push(Dt);let m=u("div",{class:"maps"});if(t.grid&&t.timed){let h=new Pe($),l=new pe(
{rec:0,overview:t,store:$});i.push(l),m.append(u("div",{class:"bar-of-map"},Bt("colour ",dt,"color",f=>$.set({
color:f})),Bt("order ",t.grid.orders.map(f=>[f,f]),"order",f=>$.set({order:f,view:void 0})),ut($,l)),h.element,
l.element),H("steps").then(f=>{if(s=f,!f.total)return h.none("No time steps were found in this run (see tabard\
 loops).");h.show(f),l.setSteps(f),t.recordings>1&&Be(a,l,m,i,f)},f=>{h.none(ne(f)),t.recordings>1&&Be(a,l,m,i,
void 0)})}else m.append(u("p",{class:"empty"},"This recording has no times of calls, so that there is no map. \
The tables below are complete."));document.body.replaceChildren(u("div",{},u("a",{href:"#panel",class:"skip",click:h=>{
h.preventDefault(),document.getElementById("panel")?.focus()}},"skip to the tables"),Hn(t,r.element,a,d),it(a),
jn(n),ot(t)),u("main",{},m,rt(a)),Fn(),zn(d,a),u("footer",{},e,u("span",{},t.version)));for(let h of document.
querySelectorAll(".panel"))h.id="panel";Un(a,r.focus,i,d,c),addEventListener("jump",h=>{Ee(h.detail,a,c)}),Object.
assign(window,{tabard:{frames:()=>i.flatMap(h=>h.frames),first:()=>i[0]?.firstPicture??NaN,calls:()=>i[0]?.callsDrawn()??
[],near:h=>i[0]?.near(h)}})}function Bt(t,e,n,s){let i=q(t,e,$.now[n],s);return $.listen(o=>{let c=i.querySelector(
"select");c&&(c.value=o[n])}),i}function Hn(t,e,n,s){let i=(o,c,a)=>u("button",{type:"button",title:c,"aria-la\
bel":c,click:a},o);return u("header",{},u("h1",{title:t.name},t.name),u("span",{class:"what",title:`${t.command.
join(" ")}
${t.mpi}`},`${t.command.join(" ")} \u2014 ${I(t.hosts,"host")}, ${t.created.slice(0,16).replace("T"," ")}`),e,
i("\u21B6","Undo (U)",()=>$.undo()),i("\u21B7","Redo (Shift+U)",()=>$.redo()),i("copy as command","Copy as com\
mand (C)",()=>{Jt(n,s)}),i("export","Export the selection (E)",()=>Xt(n,s)),i("\u25D0","Dark or light (T)",Vt),
i("?","Help (?)",Ne))}function Vt(){let t=document.documentElement.dataset.theme??(matchMedia("(prefers-color-\
scheme: dark)").matches?"dark":"light");document.documentElement.dataset.theme=t==="dark"?"light":"dark",dispatchEvent(
new Event("themechange"))}var Ve={rank:"ranks",function:"functions",comm:"communicator",time:"time",in:"region",
steps:"steps",step_loop:"step loop"},Dn={rank:"0,4-7",function:"p2p,MPI_Allreduce",comm:"0",time:"10%..30%",in:"\
solve",steps:"10-19",step_loop:"100"};function jn(t){let e=new Map,n=u("section",{class:"selection","aria-labe\
l":"Selection"}),s=u("button",{type:"button",title:"Select everything (Esc)",click:()=>$.set({selection:{}})},
"clear");for(let o of J){if(o==="step_loop")continue;let c=u("input",{placeholder:"all",title:`${Ve[o]}, e.g. ${Dn[o]}`,
"aria-label":Ve[o],spellcheck:"false",autocomplete:"off"});c.addEventListener("change",()=>$.select({[o]:c.value.
trim()})),c.addEventListener("keydown",a=>{a.key==="Escape"&&c.blur()}),e.set(o,c),n.append(u("label",{class:o},
Ve[o],c))}n.append(s);let i=()=>{for(let[o,c]of e)c.value=$.now.selection[o]??"",c.classList.toggle("set",!!$.
now.selection[o]);s.disabled=!Object.keys($.now.selection).length};return $.listen((o,c)=>{i(),o.selection!==c.
selection&&t(Object.keys(o.selection).length?"selected: "+je(o.selection):"everything is selected")}),i(),n}function zn(t,e){
let n=u("div",{role:"tablist","aria-label":"Panels"}),s=u("div",{class:"panel",role:"tabpanel",tabindex:-1}),i="",
o=()=>t.find(d=>d.id===$.now.panel)??t[0],c=d=>$.set({panel:d.id,detail:""}),a=t.map(d=>u("button",{type:"butt\
on",role:"tab",id:"tab-"+d.id,click:()=>c(d)},d.title));n.append(...a),n.addEventListener("keydown",d=>{let m=t.
indexOf(o()),h={ArrowRight:m+1,ArrowLeft:m-1,Home:0,End:t.length-1}[d.key],l=h===void 0?void 0:t[(h+t.length)%
t.length];l&&(d.preventDefault(),d.stopPropagation(),c(l),a[t.indexOf(l)]?.focus())});let r=()=>{let d=o();t.forEach(
(l,f)=>{a[f]?.setAttribute("aria-selected",String(l===d)),a[f]?.setAttribute("tabindex",l===d?"0":"-1")}),s.setAttribute(
"aria-labelledby","tab-"+d.id);let m=d.id+d.key($.now);if(m===i)return;let h=s.contains(document.activeElement);
i=m,d.show(e,s),h&&s.focus()};return $.listen(r),addEventListener("themechange",()=>{i="",r()}),r(),u("section",
{class:"bottom","aria-label":"Panels"},n,s)}function Fn(){let t=u("button",{type:"button",class:"grip","aria-l\
abel":"Move the border between map and tables: up and down keys"}),e=n=>document.body.style.setProperty("--bot\
tom",Math.max(80,Math.min(innerHeight-330,n))+"px");return t.addEventListener("pointerdown",n=>t.setPointerCapture(
n.pointerId)),t.addEventListener("pointermove",n=>{t.hasPointerCapture(n.pointerId)&&e(innerHeight-n.clientY-22)}),
t.addEventListener("keydown",n=>{let s={ArrowUp:30,ArrowDown:-30}[n.key];s&&(n.stopPropagation(),n.preventDefault(),
e((document.querySelector(".bottom")?.clientHeight??264)+s))}),t}function In(t,e){let n=e.find(c=>c.id===$.now.
panel)??e[0],[s="report",...i]=n.command($.now),o=!["info","dump"].includes(s);return["tabard",s,fe(t.overview.
name),...i.map(fe),o?je($.now.selection):""].filter(Boolean).join(" ")}async function Jt(t,e){we("The tabard l\
ine that prints the same",In(t,e),t.say)}function Xt(t,e){let n=t.overview.name.replace(/\.tabard$/,""),s=e.find(
i=>i.id===$.now.panel)??e[0];et([{text:`save what \u201C${s.title}\u201D shows as text (.csv)`,run:()=>Oe(`${n}\
-${s.id}.csv`,new Blob([Kn()],{type:"text/csv"}))},{text:"save the picture of the map (.png)",run:()=>document.
querySelector(".map canvas")?.toBlob(i=>i&&Oe(`${n}.png`,i))},{text:"copy the link to this view",run:()=>we("T\
he link to this view",$.link,t.say)},{text:"copy the line that writes the selection in the format of another t\
ool",run:()=>we("Export",["tabard export",fe(t.overview.name),...["rank","time","steps"].filter(i=>$.now.selection[i]).
map(i=>`--${i} ${fe($.now.selection[i]??"")}`)].join(" "),t.say)}])}function Kn(){let t=e=>{let n=(e.textContent??
"").trim(),s=/^[=+@\t\r-]/.test(n)&&!/^[-+]?[\d.]/.test(n)?"'"+n:n;return/[",\n]/.test(s)?'"'+s.replaceAll('"',
'""')+'"':s};return[...document.querySelectorAll(".panel table")].map(e=>[...e.querySelectorAll("tr:not([aria-\
hidden])")].map(n=>[...n.children].map(t).join(",")).join(`
`)).join(`

`)+`
`}async function Ee(t,e,n){let s=e.steps();if(!s?.total)return e.say("No time steps were found in this run.");
t=Math.max(0,Math.min(s.total-1,t));let i=s.begin_ns[Math.floor(t/s.stride)]??n[0],o=i+(s.length_ns[Math.floor(
t/s.stride)]??0);if(!W)try{let r=await H("step",{k:t});[i,o]=[r.begin_ns,r.end_ns]}catch{}let c=$.now.view,a=Math.
max(1,o-i)*.04;$.select({steps:String(t),time:""},{view:[i-a,o+a,c?.[2]??0,c?.[3]??e.overview.grid?.lines??1]})}
function Je(t,e){let n=t.steps();if(!n)return 0;let s=ce($.now.selection.steps,n.total);if(s)return s[0];let i=$.
now.view,o=i?(i[0]+i[1])/2:e[0],c=-1;for(let a of n.begin_ns){if(a>o)break;c++}return c*n.stride}function Un(t,e,n,s,i){
let o=()=>{let r=[...t.steps()?.slow??[]].map(m=>m.step).sort((m,h)=>m-h);if(!r.length)return t.say("No time s\
tep takes unusually long.");let d=$.now.selection.steps?Je(t,i):-1;Ee(r.find(m=>m>d)??r[0]??0,t,i)},c=n[0],a={
w:()=>c?.zoom(.7),s:()=>c?.zoom(1/.7),a:()=>c?.pan(-.2),d:()=>c?.pan(.2),ArrowLeft:()=>c?.pan(-.2),ArrowRight:()=>c?.
pan(.2),ArrowUp:()=>c?.scroll(-.2),ArrowDown:()=>c?.scroll(.2),"+":()=>c?.zoomLines(.5),"=":()=>c?.zoomLines(.5),
"-":()=>c?.zoomLines(2),0:()=>$.set({view:void 0}),f:()=>c?.fit(),"[":()=>{Ee(Je(t,i)-1,t,i)},"]":()=>{Ee(Je(t,
i)+1,t,i)},o,"/":e,"?":Ne,u:()=>$.undo(),U:()=>$.redo(),t:Vt,Escape:()=>$.set({selection:{}}),m:()=>{for(let r of n)
r.messages=!r.messages,r.draw();t.say(c?.messages?"messages are drawn":"messages are not drawn")},c:()=>{Jt(t,
s)},e:()=>Xt(t,s)};s.slice(0,9).forEach((r,d)=>a[String(d+1)]=()=>$.set({panel:r.id,detail:""})),addEventListener(
"keydown",r=>{if(r.target.closest("input, textarea, select, dialog"))return;if((r.ctrlKey||r.metaKey)&&!r.altKey){
let h={z:()=>r.shiftKey?$.redo():$.undo(),Z:()=>$.redo(),y:()=>$.redo()}[r.key];return h?(r.preventDefault(),h()):
void 0}if(r.ctrlKey||r.metaKey||r.altKey)return;let m=a[r.key]??(r.key.length===1?a[r.key.toLowerCase()]:void 0);
m&&(r.preventDefault(),m())}),addEventListener("themechange",()=>n.forEach(r=>r.draw()))}Nn();})();
