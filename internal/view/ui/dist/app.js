"use strict";(()=>{var Z=class extends Error{constructor(n,s){super(s);this.status=n}status},me=(()=>{let t=document.getElementById(
"tabard-data");return t?JSON.parse(t.textContent??"{}").answers:null})(),q=me!==null;function Me(t,e={}){let n=Object.
keys(e).sort().filter(s=>e[s]!==void 0&&e[s]!=="").map(s=>`${encodeURIComponent(s)}=${encodeURIComponent(String(
e[s]))}`);return"/api/"+t+(n.length?"?"+n.join("&"):"")}var ee=new Map,Tn=200;function Cn(t){let e=ee.get(t);ee.
delete(t);let n=e??Pn(t);ee.set(t,n);for(let s of ee.keys()){if(ee.size<=Tn)break;ee.delete(s)}return n}function Pn(t){
let e=new AbortController,n=new Set,s=(async()=>{let o=await wt(t,{signal:e.signal,pending:l=>n.forEach(r=>r(l))});
if(!o.ok)throw await vt(o);return await o.json()})(),i={value:s,waiting:0,pending:n,stop:e};return s.catch(()=>ee.
get(t)===i&&ee.delete(t)),i}function gt(){return new Z(404,"This is not in this file: open the recording itsel\
f with tabard view.")}async function Ln(t){if(!me||!(t in me))throw gt();let e=me[t];if(typeof e=="object"&&e.
error)throw new Z(409,e.error);return e}async function wt(t,e){for(;;){let n;try{n=await fetch(t,{signal:e.signal??
null,credentials:"same-origin"})}catch(s){throw e.signal?.aborted?s:new Z(0,"The server does not answer: has t\
abard view ended? Start it again, and reload this page.")}if(n.status!==202)return n;if(e.pending?.(await n.json()),
await new Promise(s=>setTimeout(s,300)),e.signal?.aborted)throw new DOMException("aborted","AbortError")}}async function vt(t){
if(t.status===401||t.status===403)return new Z(t.status,"This page may not ask the server: open the address th\
at tabard view printed.");try{return new Z(t.status,(await t.json()).error)}catch{return new Z(t.status,`The s\
erver answered with status ${t.status}.`)}}function B(t,e={},n={}){let s=Me(t,e);if(me)return Ln(s);let i=Cn(s);
i.waiting++;let{signal:o,pending:l}=n;return l&&i.pending.add(l),new Promise((r,a)=>{let c=()=>{l&&i.pending.delete(
l),a(new DOMException("aborted","AbortError")),!(--i.waiting>0)&&(ee.get(s)===i&&ee.delete(s),i.stop.abort())},
u=()=>o?.removeEventListener("abort",c);i.value.then(h=>(u(),r(h)),h=>(u(),a(h))),o?.aborted?c():o?.addEventListener(
"abort",c,{once:!0})})}async function Ee(t,e={}){if(me){let s=me[t];if(typeof s!="string")throw gt();return Uint8Array.
from(atob(s),i=>i.charCodeAt(0)).buffer}let n=await wt(t,e);if(!n.ok)throw await vt(n);return n.arrayBuffer()}var En=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;function oe(t){return t.replace(En,e=>{let n=e.codePointAt(0)??
0;return n===10?"\\n":n===9?"\\t":n<256?"\\x"+n.toString(16).padStart(2,"0"):n<65536?"\\u"+n.toString(16).padStart(
4,"0"):"\\U"+n.toString(16).padStart(8,"0")})}function m(t,e={},...n){let s=document.createElement(t);return yt(
s,e),T(s,...n),s}function ye(t,e={},...n){let s=document.createElementNS("http://www.w3.org/2000/svg",t);return yt(
s,e),T(s,...n),s}function yt(t,e){for(let[n,s]of Object.entries(e))typeof s=="function"?t.addEventListener(n,s):
typeof s=="string"?t.setAttribute(n,oe(s)):typeof s=="number"?t.setAttribute(n,String(s)):s===!0&&t.setAttribute(
n,"")}function T(t,...e){t.replaceChildren(...e.filter(n=>n!=null&&n!==!1).map(n=>n instanceof Node?n:oe(String(
n))))}function Ge(t,...e){let n=m("dialog",{"aria-label":t},m("h2",{},t),...e,m("div",{class:"controls"},m("form",{method:"\
dialog"},m("button",{},"close"))));n.addEventListener("close",()=>n.remove()),document.body.append(n),n.showModal()}
var Rn=[["W S","zoom in and out in time"],["A D","move in time"],["\u2190 \u2192","move in time"],["\u2191 \u2193",
"move over ranks"],["+ \u2212","fewer, more ranks"],["X","classes of ranks; unfold, fold them"],["0","the whol\
e run"],["F","look at the selection"],["[ ]","previous, next iteration"],["O","next outlier iteration"],["/","\
search"],["U, Ctrl+Z","undo (also: back)"],["Shift+U, Ctrl+Y","redo"],["Esc","select everything again"],["M","\
messages on, off"],["C","copy as command"],["E","export"],["T","dark, light"],["1 \u2026 9","the panels"],["wh\
eel","zoom in time; Shift: move; Alt: ranks"],["drag","select time and ranks; Shift: move"],["click","select a\
 rank, or show a call; Ctrl: more ranks"],["double click","look at the selection"]];function Ze(){Ge("Keys and\
 mouse",m("div",{class:"keys"},...Rn.flatMap(([t,e])=>[m("kbd",{},t),m("span",{},e)])),m("p",{},"All panels sh\
ow what is selected: ranks, functions, communicators, time and steps, in the words of the command line. Tables\
: arrow keys, Page Up and Down, Home, End, and Enter to choose; Tab goes to the next part of the page."))}function Re(t,e,n){
let s=m("textarea",{readonly:!0,rows:Math.min(8,Math.ceil(e.length/80)+1),cols:84,"aria-label":t});s.value=e,navigator.
clipboard?.writeText(e).then(()=>n("copied: "+e),()=>{}),Ge(t,s),s.focus(),s.select()}function kt(t){Ge("Take \
along",...t.map(e=>m("p",{},m("button",{type:"button",click:()=>e.run()},e.text))))}function Qe(t,e){let n=URL.
createObjectURL(e);m("a",{href:n,download:t}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4)}function _e(t,e){if(t===0)return"0";let n=Number(t.toExponential(e-1).split("e")[1]);return n<-6||n>15?t.toPrecision(
e):t.toFixed(Math.max(0,e-1-n))}function x(t){let e=Math.abs(t);if(e<999.5)return(Number.isInteger(t)?String(t):
_e(t,3))+" ns";if(e<999500)return _e(t/1e3,3)+" us";if(e<9995e5)return _e(t/1e6,3)+" ms";if(e<11995e7)return _e(
t/1e9,3)+" s";if(e<72e11){let s=Math.round(t/1e9);return`${Math.trunc(s/60)} min ${Math.abs(s%60)} s`}let n=Math.
round(t/6e10);return`${Math.trunc(n/60)} h ${Math.abs(n%60)} min`}function E(t){if(Math.abs(t)<1024)return(Number.
isInteger(t)?String(t):_e(t,3))+" B";let e=0;for(t/=1024;Math.abs(t)>=1023.95&&e<5;e++)t/=1024;return`${t.toFixed(
1)} ${"KMGTPE"[e]}iB`}function y(t){return String(Math.round(t)).replace(/\B(?=(\d{3})+$)/g,",")}function F(t){
let e=100*t;return Number.isNaN(e)?"-":e>0&&e<.05?"<0.1%":e.toFixed(1)+"%"}function j(t,e){return t===1?"1 "+e:
y(t)+" "+e+(/(s|ch)$/.test(e)?"es":"s")}function re(t,e){let n=Math.min(9,Math.max(0,2-Math.floor(Math.log10(Math.max(e,1)/1e9))));return(t/1e9).toFixed(
n)+" s"}function z(t,e=[]){let n={};for(let[s,i]of Object.entries(t.selection))e.includes(s)||(n[s]=i);return n}function X(t){
return JSON.stringify(t.selection)}function ce(t){return t instanceof Z?t.message:`This page failed: ${t instanceof
Error?t.message:String(t)}`}function An(t){return t instanceof Z&&(t.status===409||t.status===404)}var xt=new WeakMap;
async function O(t,e,n=s=>T(t,m("p",{class:"pending",role:"status"},s))){xt.get(t)?.abort();let s=new AbortController;
xt.set(t,s),t.setAttribute("aria-busy","true");let i=setTimeout(()=>{s.signal.aborted||n("\u2026")},150),o=l=>{
if(s.signal.aborted)return;clearTimeout(i);let r=l.total>0?`: ${y(l.done)} of ${y(l.total)}`:l.done>0?`: ${y(l.
done)}`:"";n(l.what+r+" \u2026")};try{let l=await e(s.signal,o);s.signal.aborted||T(t,...l)}catch(l){s.signal.
aborted||T(t,m("p",{class:An(l)?"empty":"failed",role:"status"},ce(l)))}clearTimeout(i),s.signal.aborted||t.removeAttribute(
"aria-busy")}function C(t,e,n,s){return B(t,e,{signal:n,pending:s})}function Nn(t){let e=(t.file??"").replace(
/^.*\//,"");return t.line?`${e}:${t.line}`+(t.func?` [${t.func}]`:""):t.code?t.code:t.offset!==void 0?`${e||t.
func||"?"}+0x${t.offset.toString(16)}`:t.func??e}function ae(t){return(t??[]).map(Nn).join(" < ")}function W(t,e,n,s){
let i=m("select",{change:o=>s(o.target.value)},...e.map(([o,l])=>m("option",{value:o,selected:o===n},l)));return m(
"label",{},t,i)}var te=["rank","function","comm","time","in","steps","step_loop"],On={rank:"--rank",function:"--function",comm:"\
--comm",time:"--time",in:"--in",steps:"--steps",step_loop:"--step-loop"},he={selection:{},panel:"sites",color:"\
activity",order:"rank",open:"",detail:""};function et(t){let e=new URLSearchParams;for(let n of te)t.selection[n]&&
e.set(n,t.selection[n]);return t.view&&e.set("view",t.view.map(n=>String(Math.round(n))).join("_")),t.panel!==
he.panel&&e.set("panel",t.panel),t.color!==he.color&&e.set("color",t.color),t.order!==he.order&&e.set("order",
t.order),t.open&&e.set("open",t.open),t.call&&e.set("call",t.call.join(".")),t.detail&&e.set("detail",t.detail),
e.toString()}function Mt(t,e){let n=(t??"").split(e).map(Number);if(!(n.length!==4||n.some(s=>!Number.isFinite(
s))))return n}function _t(t){let e=new URLSearchParams(t.replace(/^#/,"")),n={...he,selection:{}};for(let s of te){
let i=e.get(s);i&&(n.selection[s]=i)}return n.view=Mt(e.get("view"),"_"),n.view&&(n.view[1]<=n.view[0]||n.view[3]<
1)&&(n.view=void 0),n.call=Mt(e.get("call"),"."),n.panel=e.get("panel")??he.panel,n.color=e.get("color")??he.color,
n.order=e.get("order")??he.order,n.open=e.get("open")??"",n.detail=e.get("detail")??"",n}var Ae=class{state=_t(
location.hash);listeners=[];place=0;last=0;moved=0;late;constructor(){history.replaceState({place:0},""),addEventListener(
"popstate",e=>{let n=e.state?.place;n===void 0?history.replaceState({place:++this.place},""):this.place=n,this.
last=Math.max(this.last,this.place),this.moved=0,clearTimeout(this.late),this.late=void 0,this.enter(_t(location.
hash))})}get now(){return this.state}listen(e){this.listeners.push(e)}set(e,n=!1){let s={...this.state,...e},i=et(
s);if(i===et(this.state))return;let o=n&&performance.now()-this.moved<800;this.moved=n?performance.now():0,o?this.
late??=setTimeout(()=>this.settle(),300):(this.settle(),this.last=++this.place,history.pushState({place:this.place},
"","#"+i)),this.enter(s)}settle(){this.late!==void 0&&(clearTimeout(this.late),this.late=void 0,history.replaceState(
{place:this.place},"","#"+et(this.state)))}select(e,n={}){let s={...this.state.selection,...e};for(let i of te)
s[i]||delete s[i];this.set({...n,selection:s})}get link(){return this.settle(),location.href}undo(){this.settle(),
this.place>0&&history.back()}redo(){this.settle(),this.place<this.last&&history.forward()}enter(e){let n=this.
state;this.state=e;for(let s of this.listeners)s(e,n)}};function $e(t){return/^[\w@%+=:,./-]+$/.test(t)?t:"'"+
t.replaceAll("'","'\\''")+"'"}function Ne(t){return te.filter(e=>t[e]).map(e=>`${On[e]} ${$e(t[e]??"")}`).join(
" ")}function Oe(t){let e=[...new Set(t)].sort((s,i)=>s-i),n=[];for(let s=0;s<e.length;){let i=s;for(;i+1<e.length&&
e[i+1]===(e[i]??0)+1;)i++;n.push(s===i?String(e[s]):`${e[s]}-${e[i]}`),s=i+1}return n.join(",")}function Se(t,e){
return t?t.split(",").some(n=>{let[s,i]=n.split("-").map(Number);return s!==void 0&&e>=s&&e<=(i??s)}):!0}function He(t,e){
let n=s=>s.split(",").filter(i=>i!=="").map(i=>i.split("-").map(Number)).map(([i=NaN,o=i])=>[i,o]);return n(t).
some(([s,i])=>n(e).some(([o,l])=>s<=l&&o<=i))}function de(t,e,n,s=" of"){return m("div",{class:"figure"+s,title:n},m("dt",{},t),m("dd",{},e))}function $t(t){
let e=m("section",{class:"verdict","aria-label":"Verdict"}),n="",s=()=>{let i=JSON.stringify(t.store.now.selection);
if(i===n)return;n=i;let o=t.overview;O(e,async(l,r)=>{let a;try{a=await C("report",z(t.store.now),l,r)}catch(f){
return[m("dl",{},...tt(o)),m("div",{class:"sentence"},ce(f))]}let c=a.efficiency,u=(a.ranks??[]).reduce((f,p)=>f+
p.end_ns-p.begin_ns,0),h=Object.values(a.waits??{}).reduce((f,p)=>f+p.time_ns,0),d=(a.groups??[]).reduce((f,p)=>f+
p.time_ns,0);return[m("dl",{},a.elapsed_ns!==void 0&&de("time",x(a.elapsed_ns),"from the first call after MPI_\
Init to the last before MPI_Finalize"),c&&de("parallel efficiency",F(c.parallel),"the part of the time of all \
ranks that is computation: load balance x communication efficiency"),c&&de("load balance",F(c.load_balance),"m\
ean computation of the ranks, by the greatest"),c&&de("communication eff.",F(c.communication),"the greatest co\
mputation of a rank, by the time of the run"),d>0&&u>0&&de("in calls",F(d/u),"of the time of all ranks"),a.waits&&
u>0&&de("waiting for others",F(h/u),"of the time of all ranks: in calls that could not go on since another ran\
k came late"),...tt(o)),m("div",{class:"sentence"},i==="{}"?"":"of what is selected")]},l=>{let r=e.querySelector(
".sentence");r?T(r,l):T(e,m("dl",{},...tt(o)),m("div",{class:"sentence"},l))})};return t.store.listen(s),s(),e}
function tt(t){return[de("ranks",y(t.processes)+(t.threads>t.processes?` (${j(t.threads,"thread")})`:""),j(t.hosts,
"host"),""),de("calls",y(t.calls),"in the whole recording","")]}function St(t){let e=t.banner,n=[];return t.timed||
n.push("No times of calls were recorded: there is no map. Record with --timing=lossy."),e.time_error_ns>0&&n.push(
`times are within ${x(e.time_error_ns)}`),e.clock_residual_ns>0&&n.push(`clocks of hosts agree within ${x(e.clock_residual_ns)}`),
e.unmeasured_clocks>0&&n.push(`the clocks of ${j(e.unmeasured_clocks,"host")} are not corrected`),e.unfinished_calls>
0&&n.push(`${j(e.unfinished_calls,"call")} did not return`),e.lost_calls>0&&n.push(`${j(e.lost_calls,"call")} \
were lost`),e.snapshot&&n.push(`the job was still running when this was taken (${e.snapshot})`),e.incomplete&&
n.push(e.incomplete),m("section",{class:"banner","aria-label":"What limits these numbers"},...n.map(s=>m("span",
{},s)))}function Hn(t){let e={},n="";for(let i=1;i<t.length;i++){let[o="",l]=(t[i]??"").split(/=(.*)/s),r=o.replace(
/^--/,"").replaceAll("-","_"),a=l??t[i+1]??"";if(te.includes(r))e[r]=a;else if(r==="cause")n="causes,cause:"+a,
e.rank=a;else if(r==="kind")n="places,kind:"+a;else continue;l===void 0&&i++}let s={waits:"waits",messages:"me\
ssages",matrix:"matrix",loops:"loops",outliers:"outliers",histogram:"histogram",profile:"sites",report:"sites",
timeline:"sites"}[t[0]??""]??"sites";return{selection:e,panel:s,detail:n}}function Tt(t){let e=m("ol",{class:"\
findings"}),n=m("h2",{},"Findings"),s="",i=l=>{let r=Hn(l.command??[]),a=r.selection,c=t.steps(),u=l.step>=0&&
(!c||l.step<c.total);u&&!a.steps&&(a.steps=String(l.step)),l.process>=0&&!a.rank&&(a.rank=String(l.process)),!Object.
keys(a).length&&l.func&&(a.function=l.func);let h=l.process>=0&&(l.command?.[0]==="dump"||["hang","deadlock","\
crash"].includes(l.kind));t.store.set({selection:a,panel:h?"call":r.panel,detail:r.detail,...h?{call:[0,l.process,
0,-1]}:{}}),a.steps&&u?dispatchEvent(new CustomEvent("jump",{detail:l.step})):l.step>=0&&c?.total&&t.overview.
grid&&t.look((c.begin_ns.at(-1)??0)+(c.length_ns.at(-1)??0),t.overview.grid.to_ns),t.say("selected: "+l.text)};
return s||(s="all",O(e,async(l,r)=>{let a=await C("report",{},l,r);return T(n,`Findings (${a.findings.length})`),
a.findings.length?a.findings.map(c=>m("li",{},m("button",{type:"button",title:c.text,click:()=>i(c)},m("span",
{class:"cost"},c.cost_ns>0?`${x(c.cost_ns)}, ${F(c.share)}`:""),m("span",{class:"kind"},c.kind),m("span",{class:"\
text short"},c.text)))):[m("li",{class:"empty"},"Nothing stands out: no finding concerns 1% of the time.")]})),
m("aside",{"aria-label":"Findings"},n,e)}var De=[4456788,4728952,4082057,3238030,2523790,2072201,3520377,7261784,11918891,16639781],U=[{key:"computatio\
n",name:"computation",light:14278114,dark:3752525},{key:"point_to_point",name:"point to point",light:29362,dark:29362},
{key:"wait",name:"wait",light:13983232,dark:13983232},{key:"collective",name:"collective",light:15113984,dark:15113984},
{key:"rma",name:"one-sided",light:13400487,dark:13400487},{key:"io",name:"files",light:40563,dark:40563},{key:"\
other_mpi",name:"other MPI",light:5682409,dark:5682409},{key:"lifecycle",name:"init and finalize",light:11782108,
dark:5071224},{key:"unselected",name:"not chosen",light:9081758,dark:9081758}],st=[["bytes_sent","bytes sent"],
["bytes_received","bytes received"],["messages_sent","messages sent"],["messages_received","messages received"]];
function fe(t){return st.some(([e])=>e===t)}function je(t){return[t>>16,t>>8&255,t&255]}var Ct=new Map;function ne(t){
let e=Ct.get(t);return e===void 0&&Ct.set(t,e="#"+t.toString(16).padStart(6,"0")),e}var I=(()=>{let t=new Uint8Array(
768);for(let e=0;e<256;e++){let n=e/255*(De.length-1),s=Math.min(Math.trunc(n),De.length-2),i=je(De[s]??0),o=je(
De[s+1]??0);for(let l=0;l<3;l++)t[3*e+l]=Math.round((i[l]??0)*(1-(n-s))+(o[l]??0)*(n-s))}return t})(),Pt=matchMedia(
"(prefers-color-scheme: dark)"),nt=new Map,Lt;function Dn(){nt.clear(),Lt=void 0}addEventListener("themechange",
Dn);Pt.addEventListener("change",()=>dispatchEvent(new Event("themechange")));function J(){let t=document.documentElement.
dataset.theme;return Lt??=t?t==="dark":Pt.matches}function Y(t){let e=U[t]??U[0];return J()?e.dark:e.light}function S(t){
let e=nt.get(t);return e===void 0&&(e=getComputedStyle(document.documentElement).getPropertyValue("--"+t).trim(),
nt.set(t,e)),e}var it=16,jn=128,Be=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;asked=new Set;busy=new Set;failure;of(e,n,s,i,o){
for(let l=0;n+l<=i;l++){let r=this.piece(e,n+l,Math.floor(s/2**l),o,l===0),a=r?r.head.rows.findIndex(h=>h.class===
e.class):-1,c=r?.head.rows[a];if(!r||!c?.read)continue;let u=r.head.bins*3;return{level:n+l,x:Math.floor(s/2**
l),lines:c.lines,read:c.read,shares:r.cells.subarray(a*u,(a+1)*u)}}}piece(e,n,s,i,o){let l=Math.floor(e.class/
it)*it,r=Me("bands",{...i,rec:this.rec||void 0,level:n,x:s,first:l,rows:it});return o&&!this.asked.has(r)&&(this.
asked.add(r),this.pieces.get(r)?.head.exact||this.fetch(r)),this.pieces.get(r)}async fetch(e){if(this.busy.has(
e))return;this.busy.add(e);let n=this.pieces.get(e)??null;this.pieces.delete(e),this.pieces.set(e,n);for(let i of this.
pieces.keys()){if(this.pieces.size<=jn)break;this.pieces.delete(i)}let s=!1;try{let i=await Ee(e),o=new DataView(
i).getUint32(0,!0),l=JSON.parse(new TextDecoder().decode(new Uint8Array(i,4,o)));this.pieces.has(e)&&this.pieces.
set(e,{head:l,cells:new Uint8Array(i,4+o)}),this.failure=void 0,s=!l.exact}catch(i){this.failure=i instanceof Error?
i.message:String(i)}setTimeout(()=>{this.busy.delete(e),s&&this.asked.has(e)&&this.fetch(e)},s?100:0),this.changed()}abandon(){
this.asked.clear()}};function Te(t){return U.some(e=>e.key===t)?t:"mpi"}function Ce(t){return U.find(e=>e.key===
t)?.name??"in calls"}function Rt(t,e,n,s){let i=e.shares.length/3,o=2**e.level,l=d=>s.x((e.x*i+d)*o),r=(d,f)=>s.
y+s.height-(e.shares[d*i+f]??0)/255*s.height,a=Math.max(0,Math.floor(Et(l,i,s.left))),c=Math.min(i,Math.ceil(Et(
l,i,s.right))+1);if(c<=a)return;let u=U.findIndex(d=>d.key===n),h=ne(u>0?Y(u):J()?5682409:29362);t.save(),t.beginPath(),
t.rect(s.left,s.y,s.right-s.left,s.height),t.clip(),t.fillStyle=h,t.globalAlpha=.35,t.beginPath();for(let d=a;d<
c;d++)ot(t,l(d),l(d+1),r(2,d),d===a);for(let d=c-1;d>=a;d--)ot(t,l(d+1),l(d),r(0,d),!1);t.closePath(),t.fill(),
t.globalAlpha=1,t.strokeStyle=S("ink"),t.lineWidth=1.4,t.beginPath();for(let d=a;d<c;d++)ot(t,l(d),l(d+1),r(1,
d),d===a);t.stroke(),t.restore()}function Et(t,e,n){return(n-t(0))/(t(e)-t(0))*e}function ot(t,e,n,s,i){i?t.moveTo(
e,s):t.lineTo(e,s),t.lineTo(n,s)}function Fe(t){let e=j(t.lines,t.thread?"thread":"rank");return`class ${t.class}\
: ${e}`+(t.ranks&&t.lines>1?`, ${t.ranks}`:"")}var At=[["activity","activity"],["mpi","share in calls"],...U.slice(0,8).map(t=>[t.key,"share of "+t.name]),...q?
[]:st];function Nt(t,e){let n=m("div",{class:"legend",role:"list","aria-label":"Legend"}),s=()=>{let i=t.now.order===
"classes"&&!q?m("span",{class:"key",role:"listitem"},m("span",{class:"swatch band","aria-hidden":"true"}),`${Ce(
Te(t.now.color))}: least, median, greatest`):null;if(t.now.color==="activity"){T(n,i,...U.map((u,h)=>{if(!e.seen.
has(u.key))return null;let d=m("span",{class:"swatch","aria-hidden":"true"});return d.style.background=ne(Y(h)),
m("span",{class:"key",role:"listitem"},d,u.name)}));return}let o=m("canvas",{class:"ramp",width:256,height:1,"\
aria-hidden":"true"}),l=o.getContext("2d"),r=l?.createImageData(256,1);if(l&&r){for(let u=0;u<256;u++)r.data.set(
[I[3*u]??0,I[3*u+1]??0,I[3*u+2]??0,255],4*u);l.putImageData(r,0,0)}let a=t.now.color;if(!fe(a))return T(n,m("s\
pan",{class:"key"},"0%",o,"100% of the time"),i);T(n,m("span",{class:"key",title:"The scale is logarithmic, ov\
er four powers of ten; where nothing is moved, the colour is that of 0."},"0",o,`${(u=>a.startsWith("bytes")?E(
u):y(u))(e.most)} a second and line`),i)};return t.listen((i,o)=>{(i.color!==o.color||i.order!==o.order)&&s()}),
e.element.addEventListener("seen",s),addEventListener("themechange",s),s(),n}var Bn=150;function Ot(t,e,n,s,[i,o]){let l=new Set,r=[];for(let u of e)for(let h of u.arrows??[]){let d=`${h.
from}.${h.send}-${h.to}.${h.receive}`;l.has(d)||(l.add(d),!(n(h.end_ns)<i||n(h.begin_ns)>o||!s.has(h.from)&&!s.
has(h.to))&&r.push(h))}if(r.length>Bn)return;let a=S("line"),c=S("bad");for(let u of[!1,!0]){t.strokeStyle=u?c:
a,t.fillStyle=t.strokeStyle,t.lineWidth=u?1.6:1,t.beginPath();for(let h of r){if(h.wait_ns>0!==u)continue;let d=s.
get(h.from)??(s.get(h.to)??0)+(h.from<h.to?-2e3:2e3),f=s.get(h.to)??d+(h.to>h.from?2e3:-2e3),p=n(h.begin_ns),g=n(
h.end_ns);t.moveTo(p,d),t.lineTo(g,f);let w=Math.atan2(f-d,g-p);for(let M of[2.7,-2.7])t.moveTo(g,f),t.lineTo(
g+7*Math.cos(w+M),f+7*Math.sin(w+M));if(u){let M=n(h.end_ns-h.wait_ns);t.moveTo(M,f+4),t.lineTo(g,f+4),t.moveTo(
M,f+1),t.lineTo(M,f+7)}}t.stroke()}}var Fn=4e3,ze=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;arrowPieces=new Map;aligned(e,n){
let s=2**Math.ceil(Math.log2(Math.max(64,n-e)));return{length:s,first:Math.floor(e/s),last:Math.floor(n/s)}}of(e,n,s){
let{length:i,first:o,last:l}=this.aligned(n,s),r=[];for(let a=Math.max(0,o);a<=l;a++){let c={rec:this.rec||void 0,
rank:e.rank,thread:e.thread||void 0,world:e.world||void 0,t0:a*i,t1:(a+1)*i,max:Fn},u=JSON.stringify(c),h=this.
pieces.get(u);h?.lane?r.push(h.lane):h||this.ask(u,c)}return zn(r)}ask(e,n){let s={};if(this.pieces.set(e,s),B(
"lanes",n).then(i=>s.lane=i,()=>s.failed=!0).finally(()=>this.changed()),this.pieces.size>600)for(let i of[...this.
pieces.keys()].slice(0,200))this.pieces.delete(i)}arrows(e,n){let{length:s,first:i,last:o}=this.aligned(e,n),l=[];
for(let r=Math.max(0,i);r<=o;r++){let a={rec:this.rec||void 0,t0:r*s,t1:(r+1)*s,max:2e3},c=JSON.stringify(a),u=this.
arrowPieces.get(c);if(u?.arrows&&l.push(u.arrows),u)continue;let h={};if(this.arrowPieces.set(c,h),B("arrows",
a).then(d=>h.arrows=d,()=>h.failed=!0).finally(()=>this.changed()),this.arrowPieces.size>60)for(let d of[...this.
arrowPieces.keys()].slice(0,20))this.arrowPieces.delete(d)}return l}};function zn(t){let e=t[0];if(!e||t.length<
2)return t;let n=new Map,s=new Map,i=new Map,o=[],l=(r,a,c)=>{let u=r.get(a);r.set(a,u?{...u,start_ns:Math.min(
u.start_ns,c.start_ns),end_ns:Math.max(u.end_ns,c.end_ns)}:c)};for(let r of t){if(!r.calls?.length&&r.total>0)
return[];for(let a of r.calls??[])n.set(a.index,{...a,site:a.site<0?-1:a.site+o.length});for(let a of r.loops??
[])l(s,`${a.level} ${a.iteration} ${a.name}`,a);for(let a of r.regions??[])l(i,`${a.level} ${a.start_ns} ${a.name}`,
a);o.push(...r.sites??[])}return[{...e,to_ns:t.at(-1)?.to_ns??e.to_ns,total:n.size,calls:[...n.values()],loops:[
...s.values()],regions:[...i.values()],sites:o}]}var In=new Map(U.map((t,e)=>[t.key,e]));function rt(t,e,n,s,i,o){
if(i<24)return;t.fillStyle=o;let l=Math.floor((i-6)/6.1);l<3||(e=oe(e),t.fillText(e.length>l?e.slice(0,l-1)+"\u2026":
e,n+3,s))}function Kn(t){return((t>>16)*299+(t>>8&255)*587+(t&255)*114)/1e3>140}function Un(t,e){if(!t)return!0;
let n=!0;for(let s of t.split(",").map(i=>i.trim().toLowerCase())){let i=s.startsWith("mpi_")||s.includes("*"),
o=s.split("*").map(l=>l.replace(/[^\w]/g,"\\$&")).join(".*");if(i&&new RegExp(`^${o}$`).test(e.toLowerCase()))
return!0;n&&=i}return n?!1:void 0}function Ht(t,e,n,s){let{y:i,height:o,x:l,left:r,right:a,chosen:c}=n,u=e.calls??
[];if(!u.length&&e.total>0)return!1;let h=e.loops??[],d=o>=26?Math.min(3,h.reduce((b,v)=>Math.max(b,v.level+1),
0)):0,f=o>=26?(e.regions??[]).filter(b=>b.level<1):[],p=d+(f.length?1:0)>0?Math.min(13,Math.floor(o*.5/(d+(f.length?
1:0)))):0,g=i;t.font="10px ui-monospace, DejaVu Sans Mono, monospace",t.textBaseline="middle",t.textAlign="lef\
t";for(let b of f){let v=Math.max(r,l(b.start_ns)),_=Math.min(a,l(b.end_ns))-v;if(_<=0)continue;t.fillStyle=J()?
"#2f5d50":"#bfe3d6",t.fillRect(v,g,_,p-1);let k=b.times>1?`${b.name||"regions"} (${b.times} times)`:b.name;p>=
10&&rt(t,k,v,g+p/2,_,J()?"#e8ecf1":"#1f2933"),s.push({x:v,width:_,y:g,height:p,line:e,region:k})}f.length&&(g+=
p);for(let b of h){if(b.level>=d)continue;let v=Math.max(r,l(b.start_ns)),_=Math.min(a,l(b.end_ns))-v;if(_<=0)
continue;let k=g+b.level*p;t.fillStyle=J()?b.iteration%2?"#3d4a63":"#4b5a78":b.iteration%2?"#c9d6ea":"#dbe4f2",
t.fillRect(v,k,Math.max(.6,_-1),p-1);let L=(b.iteration===b.last_iteration?`${b.iteration}`:`${b.iteration}-${b.
last_iteration}`)+(b.step?" step":"")+"  "+b.name;p>=10&&rt(t,L,v,k+p/2,_,J()?"#e8ecf1":"#1f2933"),s.push({x:v,
width:_,y:k,height:p,line:e,loop:b})}g+=d*p;let w=i+o-g,M=Math.max(r,l(e.from_ns)),A=Math.min(a,l(e.to_ns));if(u.
length&&A>M){let b=Math.max(r,l(u[0]?.start_ns??e.from_ns)),v=Math.min(a,l(u.at(-1)?.end_ns??e.to_ns));t.fillStyle=
ne(Y(0)),t.fillRect(b,g,v-b,w)}for(let b of u){let v=Math.max(r,l(b.start_ns)),_=Math.min(a,l(b.end_ns));if(_<
r||v>a)continue;let k=Un(n.functions,b.func)===!1?U.length-1:In.get(b.category)??6,K=Y(k),L=Math.max(.7,_-v),D=b.
nested?w*.3:0;if(t.fillStyle=ne(K),t.fillRect(v,g+D,L>3?L-.7:L,w-D),b.unfinished){t.fillStyle=J()?"#ffffff":"#\
000000";for(let N=v;N<_;N+=8)t.fillRect(N,g+w-3,4,2)}b.index===c&&(t.strokeStyle=J()?"#ffffff":"#000000",t.lineWidth=
2,t.strokeRect(v-1,g-1,L+2,w+2)),w>=10&&rt(t,b.func.replace(/^P?MPIX?_/,""),v,g+w/2,L,Kn(K)?"#111820":"#ffffff"),
s.push({x:v,width:L,y:g,height:w,line:e,call:b,site:b.site<0?void 0:e.sites?.[b.site]})}return!0}var Pe=class t{total=0;runs=[];bands=[];static plain(e){let n=new t;return n.lines(0,e),n}static folded(e,n,s){
let i=new t,o=e.filter(c=>c.lines>1),l=o.reduce((c,u)=>c+(s.has(u.class)?0:u.lines),0),r=Math.max(2,Math.ceil(
(n-l)/3/Math.max(1,o.length))),a=0;for(let c of e)a=c.first+c.lines,c.lines>1&&(i.bands.push({at:i.total,height:r,
of:c,open:s.has(c.class)}),i.total+=r),(c.lines===1||s.has(c.class))&&i.lines(c.first,c.lines);return a<n&&i.lines(
a,n-a),i}lines(e,n){let s=this.runs.at(-1);s&&s.at+s.n===this.total&&s.first+s.n===e?s.n+=n:this.runs.push({at:this.
total,first:e,n}),this.total+=n}line(e){let n=this.runs.find(s=>e>=s.at&&e<s.at+s.n);return n&&n.first+Math.floor(
e-n.at)}band(e){return this.bands.find(n=>e>=n.at&&e<n.at+n.height)}};function ke(t){return new Set(t.split(",").
filter(e=>/^\d+$/.test(e)).map(Number))}var qn=Float32Array.from({length:256},(t,e)=>Math.pow(e/255,2.2)),at=Uint8Array.from({length:4096},(t,e)=>Math.
round(255*Math.pow(e/4095,1/2.2))),Dt=256,Ie=class{constructor(e,n,s){this.rec=e;this.grid=n;this.changed=s}rec;grid;changed;tiles=new Map;asking=0;queue=new Map;clock=0;generation=new AbortController;drop(){
this.queue.clear()}abandon(){this.drop(),this.generation.abort(),this.generation=new AbortController}get busy(){
return this.asking>0||this.queue.size>0}address(e,n){return e.path??Me("tiles",{...n.params,rec:this.rec||void 0,
level:e.level,x:e.x,first:e.first,group:e.group,rows:e.rows})}tile(e,n,s=!0){let i=e.path??`${e.level}.${e.x}.${e.
first}.${e.group}.${e.rows}${n.key}`,o=this.tiles.get(i);if(o)return o.used=++this.clock,o.stale&&s&&this.enqueue(
i,e,n),o.head||o.error?o:void 0;s&&this.enqueue(i,e,n)}enqueue(e,n,s){this.queue.has(e)||(this.queue.set(e,this.
address(n,s)),queueMicrotask(()=>this.next()))}next(){for(;this.asking<4;){let[e]=this.queue;if(!e)return;this.
queue.delete(e[0]);let n=this.tiles.get(e[0]);(!n||n.stale)&&this.fetch(...e)}}async fetch(e,n){let s={pixels:new Map,
used:++this.clock},i=this.tiles.get(e);i?i.stale=!1:this.tiles.set(e,s),this.asking++;let{signal:o}=this.generation;
try{let l=await Ee(n,{signal:o}),r=new DataView(l).getUint32(0,!0);s.head=JSON.parse(new TextDecoder().decode(
new Uint8Array(l,4,r))),fe(s.head.value)?(s.values=new Float32Array(l.slice(4+r)),s.most=jt(s.head,s.values).reduce(
(a,c)=>Math.max(a,c),0)):s.cells=new Uint8Array(l,4+r),!s.head.exact&&s.head.pending>0&&!q&&setTimeout(()=>{s.
stale=!0,this.changed()},700),this.tiles.set(e,s)}catch(l){o.aborted?i?i.stale=!0:this.tiles.delete(e):(s.error=
l instanceof Error?l.message:String(l),this.tiles.set(e,s))}this.asking--,this.trim(),this.changed(),this.next()}trim(){
if(this.tiles.size<=Dt)return;let e=[...this.tiles].filter(([,n])=>n.head||n.error).sort((n,s)=>n[1].used-s[1].
used);for(let[n]of e.slice(0,this.tiles.size-Dt))this.tiles.delete(n)}coarser(e,n){for(let s=1;e.level+s<=this.
grid.level;s++){let i={...e,level:e.level+s,x:Math.floor(e.x/2**s)},o=this.tile(i,n,!1);if(o?.head)return{tile:o,
place:i}}}};function jt(t,e){let n=t.categories.length,s=new Float32Array(t.bins*t.rows.length);return t.rows.
forEach((i,o)=>{let l=1e9/(2**t.level*Math.max(1,i.read));for(let r=o*t.bins;r<(o+1)*t.bins;r++){let a=0;for(let c=0;c<
n;c++)a+=e[r*n+c]??0;s[r]=a*l}}),s}function Wn(t,e){return t<=0?0:Math.max(.04,Math.min(1,1+Math.log10(t/e)/4))}
function Ke(t,e,n,s){if(!t.head||!t.cells&&!t.values)return;let i=e+(t.values?"/"+n:"")+(J()?"/dark":""),o=t.pixels.
get(i);if(o||!s())return o;let{bins:l,rows:r}=t.head,a=t.head.categories.length,c=document.createElement("canv\
as");c.width=l,c.height=Math.max(1,r.length);let u=c.getContext("2d");if(!u)return;let h=u.createImageData(l,Math.
max(1,r.length)),d=t.head.categories.map(f=>U.findIndex(p=>p.key===f));if(t.values)Xn(jt(t.head,t.values),h.data,
n);else if(t.cells)e==="activity"?Vn(t.cells,h.data,a,d.map(f=>je(Y(f)))):Jn(t.cells,h.data,a,t.head.categories.
map(f=>e==="mpi"?f!=="computation":f===e));else return;return u.putImageData(h,0,0),t.pixels.set(i,c),c}function Vn(t,e,n,s){
let i=s.map(o=>o.map(l=>qn[l]??0));for(let o=0,l=0;l<e.length;o+=n,l+=4){let r=0,a=0,c=0,u=0;for(let h=0;h<n;h++){
let d=t[o+h]??0;if(!d)continue;let f=i[h];f&&(r+=d*(f[0]??0),a+=d*(f[1]??0),c+=d*(f[2]??0),u+=d)}u&&(e[l]=at[Math.
round(r/u*4095)]??0,e[l+1]=at[Math.round(a/u*4095)]??0,e[l+2]=at[Math.round(c/u*4095)]??0,e[l+3]=Math.min(255,
u+2))}}function Xn(t,e,n){t.forEach((s,i)=>{let o=3*Math.round(255*Wn(s,n));e[4*i]=I[o]??0,e[4*i+1]=I[o+1]??0,
e[4*i+2]=I[o+2]??0,e[4*i+3]=255})}function Jn(t,e,n,s){for(let i=0,o=0;o<e.length;i+=n,o+=4){let l=0,r=0;for(let c=0;c<
n;c++){let u=t[i+c]??0;r+=u,s[c]&&(l+=u)}if(!r)continue;let a=3*Math.min(255,Math.round(255*l/r));e[o]=I[a]??0,
e[o+1]=I[a+1]??0,e[o+2]=I[a+2]??0,e[o+3]=255}}function Bt(t){return t.first.map(e=>{let n=new URLSearchParams(
e.replace(/^.*\?/,"")),s=i=>Number(n.get(i)??0);return{level:s("level"),x:s("x"),first:s("first"),group:s("gro\
up")||1,rows:s("rows"),path:e}})}var Yn={ns:1,us:1e3,\u00B5s:1e3,ms:1e6,s:1e9,m:6e10,h:36e11};function Ue(t,e,n){let s=t.trim();if(s.endsWith("\
%"))return e+(n-e)*Number(s.slice(0,-1))/100;if(s!==""&&Number.isFinite(Number(s)))return Number(s)*1e9;let i=0,
o=s;for(;o;){let l=/^([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/.exec(o);if(!l)return;i+=Number(l[1])*(Yn[l[2]??""]??NaN),
o=o.slice(l[0].length)}return s?i:void 0}function pe(t,e,n){if(!t)return;if(t.includes("..")){let[l="",r=""]=t.
split(".."),a=l.trim()?Ue(l,e,n):e,c=r.trim()?Ue(r,e,n):n;return a===void 0||c===void 0?void 0:[a,c]}let s=t.search(
/(?<![eE])\+/);if(s<1)return;let i=Ue(t.slice(0,s),e,n),o=Ue(t.slice(s+1),0,n-e);return i===void 0||o===void 0?
void 0:[i,i+o]}function be(t,e){let n=/^\s*(\d*)\s*(-|\.\.)?\s*(\d*)\s*$/.exec(t??"");if(!t||!n)return;let s=n[1]?
Number(n[1]):0;return[s,n[3]?Number(n[3]):n[2]?e-1:s]}function qe(t,e){return`${Math.max(0,Math.floor(t))}ns..${Math.
ceil(e)}ns`}var R=78,P=34,Gn=44,ge=4096,xe=class t{constructor(e){this.o=e;this.grid=e.overview.grid,this.first=Bt(this.grid),
this.own=e.own??(n=>n),this.shared=e.shared??(n=>n),this.tiles=new Ie(e.rec,this.grid,()=>this.draw()),this.lanes=
new ze(e.rec,()=>this.draw()),this.bands=new Be(e.rec,()=>this.draw()),this.element=m("div",{class:"map"},this.
canvas,this.tip,this.note),this.canvas.setAttribute("aria-label",`Time from left to right, ${j(this.grid.lines,
"line")} from top to bottom. The arrow keys move, plus and minus zoom. The table Ranks has the same as text.`),
new ResizeObserver(()=>this.resize()).observe(this.element),e.store.listen((n,s)=>{let i=n.selection===s.selection&&
n.order===s.order&&n.color===s.color;(!i||n.view!==s.view)&&this.bands.abandon(),i?n.view!==s.view&&this.tiles.
drop():this.tiles.abandon(),this.draw()}),this.listen()}o;element;canvas=m("canvas",{tabindex:0,role:"img"});tip=m(
"div",{class:"tip",hidden:!0});note=m("div",{class:"mapnote","aria-live":"polite"});tiles;lanes;bands;classes;grid;first;width=0;height=0;waiting=!1;lines=new Map;linesOrder="\
none";steps;drawn=[];heads=[];drawnBands=[];drag;pointer;own;shared;seen=new Set;markers=[];messages=!0;frames=[];firstPicture;setSteps(e){
this.steps=e,this.draw()}get view(){let e=this.o.store.now.view,{total:n}=this.layout;if(!e)return[this.grid.from_ns,
this.grid.to_ns,0,n];let s=Math.max(0,Math.min(e[2],n-1));return[this.own(e[0]),this.own(e[1]),s,Math.min(e[3],
n-s)]}laidOut;get layout(){let{order:e,open:n}=this.o.store.now,s=e==="classes"?this.folded():void 0,i=s?"clas\
ses "+n:"lines";if(this.laidOut?.key!==i){let{lines:o}=this.grid;this.laidOut={key:i,layout:s?Pe.folded(s,o,ke(
n)):Pe.plain(o)}}return this.laidOut.layout}folded(){if(this.classes||this.askedClasses||q)return this.classes;
this.askedClasses=!0,B("classes",{rec:this.o.rec||void 0}).then(e=>{this.classes=e.classes,this.draw()},e=>{this.
failure=e instanceof Error?e.message:String(e),this.draw()})}askedClasses=!1;get order(){let{order:e}=this.o.store.
now;return e==="rank"?void 0:e==="classes"?"class":e}look(e,n,s,i,o=!0){let l=this.grid,r=Math.max(200,Math.min(
n-e,(l.to_ns-l.from_ns)*1.02)),a=(e+n)/2;e=Math.max(l.from_ns-.01*(l.to_ns-l.from_ns),Math.min(a-r/2,l.to_ns*1.01-
r));let{total:c}=this.layout;i=Math.max(1,Math.min(c,i)),s=Math.max(0,Math.min(c-i,s));let u=e<=l.from_ns&&e+r>=
l.to_ns&&i===c;this.o.store.set({view:u?void 0:[this.shared(e),this.shared(e+r),s,i]},o)}zoom(e,n=this.pointer?.
x??R+this.plot/2){let[s,i,o,l]=this.view,r=this.timeAt(Math.max(R,n));this.look(r-(r-s)*e,r+(i-r)*e,o,l)}pan(e){
let[n,s,i,o]=this.view;this.look(n+e*(s-n),s+e*(s-n),i,o)}scroll(e){let[n,s,i,o]=this.view,l=Math.sign(e)*Math.
max(1,Math.round(Math.abs(e)*o));this.look(n,s,i+l,o)}zoomLines(e,n=this.pointer?.y??P+(this.height-P)/2){let[
s,i,o,l]=this.view,r=Math.max(1,Math.round(e>1?Math.max(l+1,l*e):Math.min(l-1,l*e))),a=this.lineAt(n);this.look(
s,i,Math.round(a-(a-o)*(r/l)),r)}get plot(){return Math.max(1,this.width-R)}get row(){return Math.min(Gn,(this.
height-P)/this.view[3])}x=e=>{let[n,s]=this.view;return R+(e-n)/(s-n)*this.plot};timeAt(e){let[n,s]=this.view;
return n+(e-R)/this.plot*(s-n)}lineAt(e){return this.view[2]+(e-P)/this.row}resize(){let e=this.element.getBoundingClientRect(),
n=devicePixelRatio||1;this.width=Math.max(200,e.width),this.height=Math.max(60,e.height),this.canvas.width=Math.
round(this.width*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.width=this.width+"px",this.
canvas.style.height=this.height+"px",this.draw()}draw(){this.waiting||!this.width||(this.waiting=!0,requestAnimationFrame(
()=>{this.waiting=!1;let e=performance.now();this.paint(),this.frames.push(performance.now()-e),(this.heads.length||
this.drawnBands.length)&&(this.firstPicture??=performance.now()),this.frames.length>500&&this.frames.splice(0,
250)}))}filtered;get filter(){let e=this.o.store.now,{selection:n,order:s}=e,i=fe(e.color)?e.color:void 0;if(this.
filtered?.of.selection!==n||this.filtered.of.order!==s||this.filtered.filter.params.value!==i){let o={function:n.
function,comm:n.comm,in:n.in,order:this.order,value:i};this.filtered={of:e,filter:{params:o,key:JSON.stringify(
o)}}}return this.filtered.filter}paint(){let e=this.canvas.getContext("2d");if(!e)return;let n=devicePixelRatio||
1;e.setTransform(n,0,0,n,0,0),e.fillStyle=S("paper"),e.fillRect(0,0,this.width,this.height);let s=this.o.store.
now;e.save(),e.beginPath(),e.rect(R,P,this.plot,this.height-P),e.clip(),this.drawn=[],this.heads=[];let i=[this.
paintTiles(e,s),this.paintBands(e,s)].includes(!0),o=this.paintLanes(e,s);this.paintSelection(e,s.selection),o&&
this.messages&&this.paintArrows(e),e.restore(),this.paintAxis(e),this.paintNames(e),this.paintMarkers(e),this.
drag&&!this.drag.pan&&this.paintDrag(e),this.annotate(i)}annotate(e){let n=this.heads.reduce((a,c)=>Math.max(a,
c.head.exact?0:c.head.blur_ns),0),[s,i,o]=[0,0,0];for(let{place:a,bands:c}of this.drawnBands)i+=a.of.lines,s+=
c.length?Math.min(...c.map(u=>u.read)):0;for(let{head:a}of this.heads){o+=a.unsized??0;for(let c of a.rows)s+=
c.read,i+=c.threads}let l=this.failure??this.bands.failure;this.element.dataset.state=e||this.tiles.busy?"load\
ing":"ready";let r=l??(s<i?`not exact yet: ${F(s/i)} is read`:n?`not exact: means over stretches of ${x(n)}`:e&&
!i?"reading \u2026":o?`${j(o,"message")} of unknown size: receives count with the size of their buffers`:"");this.
note.textContent!==oe(r)&&T(this.note,r)}failure;paintTiles(e,n){let[s,i,o,l]=this.view,r=(i-s)/this.plot,a=Math.
max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*r)))),c=1;for(;c*2*this.row<=2.01;)c*=2;let u=this.filter,
h=performance.now()+3,d=!1,f=()=>performance.now()<h||(d=!0,this.draw(),!1);this.failure=void 0,e.imageSmoothingEnabled=
!1;let[p]=this.first,g=p&&{...p,path:void 0},w=q||!g?void 0:{place:g,tile:this.tiles.tile(g,u)},M=!w||w.tile!==
void 0||n.view!==void 0,b=this.layout.runs.filter(v=>v.at<o+l&&v.at+v.n>o).map(v=>{let _=this.places(v,a,c);return{
run:v,places:_,known:_.map(k=>this.tiles.tile(k,u,M))}});this.rescale([w?.tile,...b.flatMap(v=>v.known)]);for(let{
run:v,places:_,known:k}of b){let K=P+(v.at-o)*this.row,L=v.at-v.first;if(e.save(),e.beginPath(),e.rect(R,K,this.
plot,v.n*this.row),e.clip(),w?.tile&&k.some(D=>!D?.head||D.head.rows.some(N=>N.read===0))){let D=Ke(w.tile,n.color,
this.most,f);D&&w.tile.head&&(this.see(w.tile.head,w.place),this.paintTile(e,D,w.place,w.place,L))}for(let[D,N]of _.
entries()){let ie=k[D];ie?.error&&(this.failure=ie.error),ie||(d=!0);let ue=ie&&Ke(ie,n.color,this.most,f);if(ue&&
ie?.head){this.see(ie.head,N),this.paintTile(e,ue,N,N,L);continue}let Le=this.tiles.coarser(N,u);ue=Le&&Ke(Le.
tile,n.color,this.most,f),Le&&ue&&this.paintTile(e,ue,Le.place,N,L)}if(this.row>=5){e.fillStyle=S("paper");let D=Math.
min(v.n,Math.ceil(o+l-v.at));for(let N=Math.max(1,Math.floor(o-v.at));N<=D;N++)e.fillRect(R,Math.round(K+N*this.
row)-1,this.plot,1)}e.restore()}return d}places(e,n,s){let[i,o,l,r]=this.view;if(q){let f=[...new Set(this.first.
map(g=>g.level))].sort((g,w)=>w-g),p=f.find(g=>g<=n)??f.at(-1)??n;return this.first.filter(g=>g.level===p)}let a=64*
s,c=256*2**n,u=e.first+Math.max(0,Math.floor(l-e.at)),h=e.first+Math.min(e.n,Math.ceil(l+r-e.at)),d=[];for(let f=Math.
floor(u/a)*a;f<h;f+=a){let p=Math.min(64,Math.ceil((this.grid.lines-f)/s));for(let g=Math.max(0,Math.floor(i/c));g*
c<Math.min(o,this.grid.to_ns);g++)d.push({level:n,x:g,first:f,group:s,rows:p})}return d}paintBands(e,n){let[s,
i,o,l]=this.view,r=Math.max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*(i-s)/this.plot)))),a=256*2**r,c=Te(
n.color),{function:u,comm:h,in:d}=n.selection,f={function:u,comm:h,in:d,of:c==="mpi"?void 0:c},p=n.order==="cl\
asses"&&!this.classes&&!this.failure&&!q;this.drawnBands=[];for(let g of this.layout.bands){if(g.at>o+l||g.at+
g.height<o)continue;let w=P+(g.at-o)*this.row,M=g.height*this.row,A=M>=40,b=w+(A?17:1),v={x:this.x,left:R,right:this.
width,y:b,height:w+M-2-b},_=[];for(let L=Math.max(0,Math.floor(s/a));L*a<Math.min(i,this.grid.to_ns);L++){let D=this.
bands.of(g.of,r,L,this.grid.level,f);D?_.some(N=>N.level===D.level&&N.x===D.x)||_.push(D):p=!0}e.fillStyle=S("\
raised"),e.fillRect(R,w,this.plot,M-1);for(let L of _)Rt(e,L,c,v);if(this.drawnBands.push({place:g,bands:_}),!A)
continue;e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign="left",e.textBaseline="top";let k=`${Fe(
g.of)}: ${Ce(c)}, least to greatest, median`,K=oe(k.length>140?k.slice(0,139)+"\u2026":k);e.fillStyle=S("ink"),
e.fillText(K,R+6,w+3)}return p}static rates=new Map;get most(){return 2**Math.ceil(Math.log2(Math.max(1,...t.rates.
values())))}rescale(e){let n=this.most;if(t.rates.set(this,Math.max(0,...e.map(s=>s?.most??0))),this.most!==n)
for(let s of t.rates.keys())s.element.dispatchEvent(new Event("seen")),s.draw()}see(e,n){if(this.heads.push({head:e,
place:n}),fe(e.value))return;let s=this.seen.size;for(let i of e.rows)i.sum_ns.forEach((o,l)=>o>0&&this.seen.add(
e.categories[l]??""));this.seen.size>s&&this.element.dispatchEvent(new Event("seen"))}paintTile(e,n,s,i,o){let l=2**
(s.level-i.level),r=256/l,a=256*2**i.level,c=this.x(i.x*a),u=P+(s.first+o-this.view[2])*this.row,h=n.height;e.
drawImage(n,(i.x-s.x*l)*r,0,r,h,c,u,this.x((i.x+1)*a)-c,h*s.group*this.row)}get rate(){return this.o.overview.
calls/this.grid.lines/Math.max(1,this.grid.to_ns-this.grid.from_ns)}near(e){let{from_ns:n,to_ns:s}=this.grid,i=Math.
min((s-n)/2,30/this.rate);this.look((n+s)/2-i,(n+s)/2+i,0,e)}paintLanes(e,n){let[s,i,o,l]=this.view;if(this.row<
12||!this.o.overview.timed||q||n.color!=="activity"||this.rate*(i-s)>1500)return!1;let r=!1;for(let a=Math.floor(
o);a<Math.ceil(o+l);a++){let c=this.at(a);if(!c)continue;let u=P+(a-o)*this.row,h=n.call,d={y:u,height:this.row-
1,x:this.x,left:R,right:this.width,functions:n.selection.function,chosen:h&&h[0]===c.world&&h[1]===c.rank&&h[2]===
c.thread?h[3]:void 0};for(let f of this.lanes.of(c,s,i))r=Ht(e,f,d,this.drawn)||r}return r}paintArrows(e){let[
n,s,i,o]=this.view,l=new Map;for(let r=Math.floor(i);r<i+o;r++){let a=this.at(r);a&&a.thread===0&&l.set(a.rank,
P+(r-i+.5)*this.row)}Ot(e,this.lanes.arrows(n,s),this.x,l,[R,this.width])}paintSelection(e,n){let{from_ns:s,to_ns:i}=this.
grid,[,,o,l]=this.view,r=S("veil"),a=pe(n.time,s,i),c=this.steps&&be(n.steps,this.steps.total),u=R,h=this.width;
if(a&&([u,h]=[this.x(this.own(a[0])),this.x(this.own(a[1]))]),c&&this.steps){let g=Math.min(this.steps.begin_ns.
length-1,Math.floor(c[0]/this.steps.stride)),w=Math.min(this.steps.begin_ns.length-1,Math.floor(c[1]/this.steps.
stride));u=Math.max(u,this.x(this.steps.begin_ns[g]??s)),h=Math.min(h,this.x((this.steps.begin_ns[w]??i)+(this.
steps.length_ns[w]??0)))}if(e.fillStyle=r,u>R&&e.fillRect(R,P,u-R,this.height),h<this.width&&e.fillRect(h,P,this.
width-h,this.height),(a||c)&&(e.fillStyle=S("accent"),e.fillRect(u-1,P,2,this.height),e.fillRect(h-1,P,2,this.
height)),!n.rank)return;e.fillStyle=r;let d=Math.max(R,u),f=Math.min(this.width,h)-d,p=Math.max(1,Math.floor(1/
this.row));for(let{place:g}of this.drawnBands)g.of.ranks&&!He(n.rank,g.of.ranks)&&e.fillRect(d,P+(g.at-o)*this.
row,f,g.height*this.row);for(let g=Math.floor(o);g<o+l;g+=p){let w=this.at(g);w&&!Se(n.rank,w.rank)&&e.fillRect(
d,P+(g-o)*this.row,f,Math.max(1,p*this.row))}}paintAxis(e){let[n,s]=this.view;e.fillStyle=S("faint"),e.strokeStyle=
S("rule"),e.lineWidth=1,e.font="11px system-ui, DejaVu Sans, sans-serif",e.textBaseline="alphabetic";let i=(s-
n)/this.plot*110,o=It(i);for(let l=Math.ceil(n/o)*o;l<=s;l+=o){let r=Math.round(this.x(l))+.5;if(r<R)continue;
e.beginPath(),e.moveTo(r,14),e.lineTo(r,18),e.stroke();let a=re(l,o*10);r+e.measureText(a).width/2<this.width&&
(e.textAlign="center",e.fillText(a,Math.max(r,R+e.measureText(a).width/2),11))}this.paintSteps(e),e.strokeStyle=
S("rule"),e.beginPath(),e.moveTo(R,P-.5),e.lineTo(this.width,P-.5),e.stroke()}paintSteps(e){let n=this.steps;if(e.
textAlign="left",e.fillText(n?.begin_ns.length?"step":"",4,29),!n)return;let s=new Set((n.slow??[]).map(u=>Math.
floor(u.step/n.stride))),[i,o]=this.view,l=n.begin_ns.filter(u=>u>=i&&u<=o).length,r=Ft(l*n.stride*60/this.plot),
a=-1/0,c=-1/0;for(let u=0;u<n.begin_ns.length;u++){let h=Math.round(this.x(n.begin_ns[u]??0))+.5;if(h<R||h>this.
width)continue;let d=Math.ceil(u*n.stride/r)*r,f=d<(u+1)*n.stride&&h>=c;if(!f&&!s.has(u)&&h-a<4||(a=h,e.strokeStyle=
s.has(u)?S("bad"):S("rule"),e.beginPath(),e.moveTo(h,f?20:31),e.lineTo(h,P),e.stroke(),!f))continue;let p=String(
d);c=h+e.measureText(p).width+10,c<this.width&&e.fillText(p,h+2,29)}}paintNames(e){let[,,n,s]=this.view,i=Ft(13/
this.row);e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign="right",e.textBaseline="middle";let o=this.
o.store.now.selection.rank,l=-1/0;for(let{place:r}of this.drawnBands){let a=P+(r.at-n+r.height/2)*this.row;r.height*
this.row<12||a<P||a>this.height-4||(e.fillStyle=o&&He(o,r.of.ranks)?S("accent"):S("ink"),e.fillText(`${r.open?
"\u25BE":"\u25B8"} class ${r.of.class}`,R-6,a),!(r.height*this.row<56)&&(e.fillStyle=S("faint"),e.fillText("10\
0%",R-6,a-r.height*this.row/2+21),e.fillText("0%",R-6,a+r.height*this.row/2-8)))}for(let r of this.layout.runs){
let a=Math.max(0,Math.ceil((n-r.at)/i)*i);for(let c=a;c<r.n&&r.at+c<n+s;c+=i){let u=this.line(r.first+c);if(!u)
continue;let h=Math.max(P+(r.at+c-n+.5)*this.row,P+6);h>this.height-4||h<l||(l=h+12,e.fillStyle=o&&Se(o,u.rank)?
S("accent"):S("ink"),e.fillText(zt(u,i===1||c===0),R-6,h))}}}paintMarkers(e){for(let n of this.markers){let s=this.
yOfRank(n.rank),i=this.x(n.at);s===void 0||i<R||i>this.width||(e.fillStyle=S("bad"),e.strokeStyle=S("paper"),e.
beginPath(),e.moveTo(i,s),e.lineTo(i-5,s-9),e.lineTo(i+5,s-9),e.closePath(),e.fill(),e.stroke())}}at(e){let n=this.
layout.line(e);return n===void 0?void 0:this.line(n)}paintDrag(e){let n=this.drag;if(!n)return;e.strokeStyle=S(
"accent"),e.fillStyle=S("select");let s=Math.min(n.x,n.x1),i=Math.min(n.y,n.y1),o=[s,this.layout.total>1?i:P,Math.
abs(n.x1-n.x),this.layout.total>1?Math.abs(n.y1-n.y):this.height];e.fillRect(...o),e.strokeRect(...o)}line(e){
let n=this.order;n!==this.linesOrder&&(this.linesOrder=n,this.lines=new Map);let s=Math.floor(e/ge)*ge,i=this.
lines,o=i.get(s);if(o===void 0&&(i.set(s,null),B("lines",{rec:this.o.rec||void 0,order:n,first:s,count:ge}).then(
l=>{i.set(s,l),this.draw()},()=>{})),o)return o.lines[e-s];for(let{head:l,place:r}of this.heads){if(r.group!==
1)continue;let a=l.rows[e-r.first];if(a)return{rank:a.rank,world:a.world,thread:a.thread,host:"",class:0,calls:0}}}yOfRank(e){
let[,,n,s]=this.view;for(let o=Math.floor(n);o<n+s;o++){let l=this.at(o);if(l?.rank===e&&l.thread===0)return P+
(o-n+.5)*this.row}let i=this.drawnBands.find(({place:o})=>o.of.ranks&&Se(o.of.ranks,e));return i&&P+(i.place.at-
n+i.place.height/2)*this.row}hit(e,n){let s;for(let i of this.drawn)n<i.y||n>i.y+i.height||e<i.x-1||e>i.x+Math.
max(i.width,2)||(!s||i.width<=s.width)&&(s=i);return s}listen(){let e=this.canvas;e.addEventListener("pointerd\
own",n=>{n.button>1||(e.setPointerCapture(n.pointerId),this.drag={x:n.offsetX,y:n.offsetY,x1:n.offsetX,y1:n.offsetY,
pan:n.shiftKey||n.button===1},this.tip.hidden=!0)}),e.addEventListener("pointermove",n=>{this.pointer={x:n.offsetX,
y:n.offsetY};let s=this.drag;if(!s)return this.point();if(s.pan){let[i,o,l,r]=this.view,a=(s.x1-n.offsetX)/this.
plot*(o-i);this.look(i+a,o+a,l+Math.round((s.y1-n.offsetY)/this.row),r)}s.x1=n.offsetX,s.y1=n.offsetY,this.draw()}),
e.addEventListener("pointerup",n=>{let s=this.drag;this.drag=void 0,s&&!s.pan&&this.released(s,n.ctrlKey||n.metaKey),
this.draw()}),e.addEventListener("pointercancel",()=>this.drag=void 0),e.addEventListener("pointerleave",()=>{
this.pointer=void 0,this.tip.hidden=!0}),e.addEventListener("dblclick",()=>this.fit()),e.addEventListener("whe\
el",n=>{n.preventDefault();let s=n.deltaMode?n.deltaY*20:n.deltaY;Math.abs(n.deltaX)>Math.abs(n.deltaY)?this.pan(
n.deltaX/1e3):n.shiftKey?this.pan(s/1e3):n.altKey?this.zoomLines(Math.exp(s/400),n.offsetY):this.zoom(Math.exp(
s/400),n.offsetX)},{passive:!1})}fit(){let e=this.o.store.now.selection,{from_ns:n,to_ns:s}=this.grid,i=pe(e.time,
n,s),o=this.steps&&be(e.steps,this.steps.total);if(o&&this.steps){let c=Math.floor(o[0]/this.steps.stride),u=Math.
min(this.steps.begin_ns.length-1,Math.floor(o[1]/this.steps.stride));i??=[this.steps.begin_ns[c]??n,(this.steps.
begin_ns[u]??s)+(this.steps.length_ns[u]??0)]}let[l,r]=i??[n,s],a=i?(r-l)*.03:0;this.look(l-a,r+a,this.view[2],
this.view[3],!1)}async released(e,n){let s=this.o.store;if(Math.abs(e.x1-e.x)<4&&Math.abs(e.y1-e.y)<4){let c=this.
markers.find(p=>Math.abs(this.x(p.at)-e.x)<6&&Math.abs((this.yOfRank(p.rank)??-99)-5-e.y)<9);if(c)return c.choose();
let u=this.layout.band(this.lineAt(e.y));if(u&&e.y>=P)return this.chooseBand(u,e.x<R);let h=this.at(Math.floor(
this.lineAt(e.y))),d=this.hit(e.x,e.y);if(d?.call){let p=d.line;return s.set({call:[p.world,p.rank,p.thread,d.
call.index],panel:"call"})}if(d?.loop?.step&&d.loop.iteration===d.loop.last_iteration)return s.select({steps:String(
d.loop.iteration),time:""});if(!h||e.y<P)return;let f=s.now.selection.rank;return n&&f?s.select({rank:Se(f,h.rank)?
Oe(this.ranksIn(f).filter(p=>p!==h.rank)):Oe([...this.ranksIn(f),h.rank])}):s.select({rank:f===String(h.rank)?
"":String(h.rank)})}let i=qe(this.shared(this.timeAt(Math.max(R,Math.min(e.x,e.x1)))),this.shared(this.timeAt(
Math.max(e.x,e.x1)))),o=Math.max(0,Math.floor(this.lineAt(Math.min(e.y,e.y1)))),{total:l}=this.layout,r=Math.min(
l-1,Math.floor(this.lineAt(Math.max(e.y,e.y1)))),a=o<=0&&r>=l-1||Math.abs(e.y1-e.y)<4||e.y<P;s.select({time:i,
steps:"",rank:a?s.now.selection.rank??"":await this.ranksOf(o,r)})}ranksIn(e){return e?e.split(",").flatMap(n=>{
let[s=0,i=s]=n.split("-").map(Number);return Array.from({length:i-s+1},(o,l)=>s+l)}):[]}unfold(){let e=this.o.
store,{order:n,open:s,selection:i,view:o}=e.now;if(n!=="classes")return e.set({order:"classes",view:lt(o)});let l=this.
layout.bands.filter(c=>!i.rank||He(i.rank,c.of.ranks)),r=ke(s),a=l.every(c=>c.open);for(let{of:c}of l)a?r.delete(
c.class):r.add(c.class);e.set({open:[...r].sort((c,u)=>c-u).join(","),view:lt(o)})}chooseBand(e,n){let s=this.
o.store;if(n)return ct(s,e.of.class);e.of.ranks&&s.select({rank:s.now.selection.rank===e.of.ranks?"":e.of.ranks})}async ranksOf(e,n){
let s=this.layout.bands.filter(i=>i.at<=n&&i.at+i.height>e).flatMap(i=>this.ranksIn(i.of.ranks));for(let i of this.
layout.runs){let o=i.first+Math.max(0,e-i.at),l=i.first+Math.min(i.n-1,n-i.at);for(let r=Math.floor(o/ge)*ge;r<=
l;r+=ge)(await B("lines",{rec:this.o.rec||void 0,order:this.order,first:r,count:ge})).lines.forEach((c,u)=>{r+
u>=o&&r+u<=l&&c.rank>=0&&s.push(c.rank)})}return Oe(s)}point(){let e=this.pointer;if(!e||e.x<R||e.y<P){this.tip.
hidden=!0;return}let n=this.timeAt(e.x),s=this.lineAt(e.y),i=this.layout.line(s),[o,l]=this.view,r=this.hit(e.
x,e.y),a=[],c=i===void 0?void 0:this.line(i);if(i===void 0)a.push(...this.aboutBand(s,n));else if(r?.call)a.push(
...es(r.call,r.site));else if(r?.loop){let f=r.loop;a.push(m("b",{},`${f.step?"step":"iteration"} ${f.iteration}${f.
last_iteration>f.iteration?"-"+f.last_iteration:""} of ${f.of}`),m("div",{},f.name),m("div",{},x(f.end_ns-f.start_ns)))}else
r?.region?a.push(m("b",{},"region "+r.region)):a.push(...this.aboutCell(i,n));let u=this.markers.find(f=>Math.
abs(this.x(f.at)-e.x)<6&&Math.abs((this.yOfRank(f.rank)??-99)-5-e.y)<9);if(u&&a.unshift(m("b",{class:"bad"},u.
text)),!a.length){this.tip.hidden=!0;return}T(this.tip,m("div",{class:"where"},`${c?zt(c,!0):""}  at ${re(n,l-
o)}`),...a),this.tip.hidden=!1;let h=this.tip.offsetWidth,d=this.tip.offsetHeight;this.tip.style.left=(e.x+16+
h>this.width?Math.max(0,e.x-h-12):e.x+16)+"px",this.tip.style.top=Math.max(0,Math.min(e.y+14,this.height-d-4))+
"px"}aboutBand(e,n){let s=this.drawnBands.find(o=>e>=o.place.at&&e<o.place.at+o.place.height);if(!s)return[];let i=Te(
this.o.store.now.color);for(let o of s.bands){let l=o.shares.length/3,r=Math.floor(n/2**o.level)-o.x*l;if(r<0||
r>=l)continue;let[a,c,u]=[0,1,2].map(h=>F((o.shares[h*l+r]??0)/255));return[m("b",{},Fe(s.place.of)),m("div",{},
`${Ce(i)}, in ${x(2**o.level)}:`),m("div",{},`least ${a}, median ${c}, greatest ${u}`),...o.read<o.lines?[m("d\
iv",{},`of ${y(o.read)} of ${j(o.lines,"thread")} so far`)]:[]]}return[m("b",{},Fe(s.place.of)),m("div",{},"no\
t read yet")]}aboutCell(e,n){for(let{head:s,place:i}of this.heads){let o=Math.floor((e-i.first)/i.group),l=Math.
floor(n/2**i.level)-i.x*256,r=s.rows[o];if(!r||l<0||l>255||e<i.first)continue;let a=this.tiles.tile(i,this.filter,
!1),c=s.categories.length;if(a?.values)return Zn(s,r,a.values.subarray((o*256+l)*c,(o*256+l+1)*c));let u=a?.cells;
if(!u)continue;let h=s.categories.map((f,p)=>[u[(o*256+l)*c+p]??0,f]).filter(([f])=>f>0).sort((f,p)=>p[0]-f[0]),
d=r.threads>1?m("div",{},`mean of ${Kt(r)}`):null;return r.read===0?[m("div",{},"not read yet")]:[...d?[d]:[],
m("div",{},`mean of ${x(2**i.level)}`),...h.length?h.map(([f,p])=>m("div",{},`${F(f/255)} ${U.find(g=>g.key===
p)?.name??p}`)):[m("div",{},"nothing is known")]]}return[]}bandsDrawn(){let e=this.canvas.getBoundingClientRect();
return this.drawnBands.map(({place:n,bands:s})=>({x:e.x+R/2,y:e.y+P+(n.at-this.view[2]+n.height/2)*this.row,class:n.
of.class,read:s.length?Math.min(...s.map(i=>i.read)):0,lines:n.of.lines,open:n.open}))}callsDrawn(){let e=this.
canvas.getBoundingClientRect();return this.drawn.flatMap(n=>n.call?[{x:e.x+n.x+n.width/2,y:e.y+n.y+n.height/2,
width:n.width,func:n.call.func,index:n.call.index,rank:n.line.rank}]:[])}};function It(t){let e=10**Math.floor(
Math.log10(t));return[1,2,5,10].map(n=>n*e).find(n=>n>=t)??t}function Ft(t){return It(Math.max(1,t))}function ct(t,e){
let n=ke(t.now.open);n.delete(e)||n.add(e),t.set({order:"classes",open:[...n].sort((s,i)=>s-i).join(","),view:lt(
t.now.view)})}function lt(t){return t&&[t[0],t[1],0,1e9]}function zt(t,e){let n=(t.world?`w${t.world}:`:"")+(t.
rank<0?"?":t.rank)+(t.thread?"."+t.thread:"");return e&&!t.world&&!t.thread?"rank "+n:n}function Kt(t){return`${j(
t.threads,"thread")}: ranks ${t.rank} to ${t.last_rank}`}function Zn(t,e,n){if(e.read===0)return[m("div",{},"n\
ot read yet")];let s=t.value.replace("_"," "),i=l=>t.value.startsWith("bytes")?E(l):y(l),o=t.categories.flatMap(
(l,r)=>n[r]?[m("div",{},`${i(n[r]??0)} ${Qn[l]??l}`)]:[]);return[m("b",{},s),...e.threads>1?[m("div",{},`sum o\
f ${Kt(e)}`)]:[],m("div",{},`in ${x(2**t.level)}`),...o.length?o:[m("div",{},"nothing")]]}var Qn={p2p:"point t\
o point",collective:"collective",rma:"one-sided",io:"files"};function es(t,e){return[m("b",{},t.func),m("div",
{},`${x(t.end_ns-t.start_ns)}${t.unfinished?", did not return":""}, call ${t.index}`),...e?[m("div",{class:"si\
te"},e)]:[]]}function We(t){return t===null?"not known or not significant":Array.isArray(t)?"["+t.map(We).join(", ")+"]":typeof t==
"object"?"{"+Object.entries(t).map(([e,n])=>`${e}: ${We(n)}`).join(", ")+"}":String(t)}var qt={id:"call",title:"\
Call",command:t=>t.call?["dump","--rank",String(t.call[1]),"--from",String(t.call[3]),"--limit","1"]:["dump"],
key:t=>String(t.call),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now.call;if(!i)return[m("p",{class:"empty"},
"Click a call in the map (zoom in until calls are drawn one by one), or choose one in a table.")];let[o,l,r]=i,
a={world:o||void 0,rank:l,thread:r||void 0},c=i[3];c<0&&(c+=(await C("calls",{...a,from:0,limit:1},n,s)).total);
let u=await C("calls",{...a,from:c,limit:1},n,s),h=u.calls[0];if(!h)return[m("p",{class:"empty"},`Rank ${l} ma\
de ${y(u.total)} calls: there is no call ${c}.`)];let d=h.flags?.includes("unfinished"),f=h.start_ns,p=h.end_ns??
f,g=b=>t.store.set({call:[o,l,r,b]}),w=()=>{if(f===void 0||p===void 0)return;let b=Math.max(p-f,500);t.look(f-
b,p+b,l)},M=m("div",{class:"controls"},m("b",{},h.func),`rank ${o?`w${o}:`:""}${l}${r?", thread "+r:""}, call ${y(
h.index)} of ${y(u.total)}`,m("button",{type:"button",disabled:c<=0,click:()=>g(c-1)},"\u2190 previous"),m("bu\
tton",{type:"button",disabled:c+1>=u.total,click:()=>g(c+1)},"next \u2192"),m("button",{type:"button",disabled:f===
void 0,click:w},"zoom to it"),m("button",{type:"button",click:()=>t.store.select({function:h.func})},"select t\
he function")),A=m("dl",{class:"call"});return f!==void 0&&p!==void 0&&ts(t,A,l,f,Math.max(p,f+1),h,n),[M,m("d\
iv",{class:"columns"},Ut([["call",h.func+(h.flags?.length?` (${h.flags.join(", ")})`:"")],...Object.entries(h.
in).map(([b,v])=>[b,We(v)]),...Object.entries(h.out).map(([b,v])=>["\u2192 "+b,We(v)]),["returned",d?"no":h.error??
String(h.ret)]]),Ut([["begin",f===void 0?"not recorded":`${(f/1e9).toFixed(9)} s`],["duration",d||h.end_ns===void 0?
"did not return":x(h.end_ns-(f??0))],["call site",ae(h.site?.slice(0,1))||"unknown"],...(h.site??[]).slice(1).
map(b=>["called from",ae([b])])]),m("div",{},m("h3",{},"Messages of this call"),A))]})}};function Ut(t){return m(
"dl",{class:"call"},...t.flatMap(([e,n])=>[m("dt",{},e),m("dd",{},n)]))}async function ts(t,e,n,s,i,o,l){let r=[];
try{let a=await C("arrows",{t0:Math.floor(s),t1:Math.ceil(i),max:5e3},l,()=>{});for(let c of a.arrows??[]){let u=c.
from===n&&c.send===o.index,h=c.to===n&&c.receive===o.index;if(!u&&!h)continue;let d=u?c.to:c.from;if(r.push(m(
"dt",{},u?"to":"from"),m("dd",{},m("button",{type:"button",click:()=>t.call(0,d,0,u?c.receive:c.send)},`rank ${d}\
, call ${y(u?c.receive:c.send)}`),` ${c.bytes>=0?E(c.bytes):"size unknown"}, tag ${c.tag}`,c.wait_ns>0&&m("spa\
n",{class:"bad"},h?`; waited ${x(c.wait_ns)} for rank ${c.from}, which came late`:`; rank ${c.to} waited ${x(c.
wait_ns)} for this`))),r.length>40)break}}catch{}e.replaceChildren(...r.length?r:[m("dd",{},"none are known")])}var ns=[["sizes","sizes of messages"],["durations","durations of calls"]],Vt={id:"histogram",title:"Histogram",
command:t=>["histogram",...t.detail==="durations"?["--durations"]:[]],key:t=>X(t)+(t.panel==="histogram"?t.detail:
""),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,o=i.detail==="durations"?"durations":"sizes",l=m("div",{class:"\
controls"},W("show ",ns,o,a=>t.store.set({detail:a==="sizes"?"":a}))),r=[];if(o==="sizes"){let a=await C("hist\
ogram",z(i),n,s);for(let c of a.histograms)c.messages&&r.push(m("div",{},m("h3",{},`${c.kind==="p2p"?"point to\
 point":c.kind}: ${y(c.messages)} messages, ${E(c.bytes)}`),Wt(c.bins.map(u=>({label:u.from===u.to?E(u.from):`${E(
u.from)} to ${E(u.to)}`,value:u.messages,text:`${y(u.messages)} messages, ${E(u.bytes)}`})))))}else{let a=await C(
"report",z(i),n,s);for(let c of[...a.calls??[]].sort((u,h)=>h.mpi.sum_ns-u.mpi.sum_ns).slice(0,6))r.push(m("di\
v",{},m("h3",{title:c.site},`${c.func} @ ${c.site.split(" < ")[0]}: median ${x(c.durations.p50_ns)}`),Wt(ss(c.
durations.bins??[]).map(u=>({label:`${x(u.from_ns)} to ${x(u.to_ns)}`,value:u.count,text:`${y(u.count)} calls`})))))}
return[l,r.length?m("div",{class:"columns"},...r):m("p",{class:"empty"},"There is nothing of this kind in the \
selection.")]})}};function ss(t){let e=new Map;for(let n of t){let s=Math.floor(Math.log2(Math.max(1,n.from_ns))),
i=e.get(s);i?i.count+=n.count:e.set(s,{from_ns:2**s,to_ns:2**(s+1),count:n.count})}return[...e.values()]}function Wt(t){
let e=Math.max(1,...t.map(l=>l.value)),n=150,s=110,i=ye("svg",{width:n+s+170,height:t.length*18+4,role:"list"});
t.forEach((l,r)=>{let a=r*18;i.append(ye("g",{role:"listitem","aria-label":`${l.label}: ${l.text}`},ye("text",
{x:n-6,y:a+13,"text-anchor":"end"},l.label),ye("rect",{class:"value",x:n,y:a+3,width:Math.max(1,l.value/e*s),height:13}),
ye("text",{x:n+l.value/e*s+5,y:a+13},l.text)))});let o=m("div",{class:"chart"});return o.append(i),o}var is=20,Ve="functions:",Xt="";function dt(t,e=!1){return{name:t,value:0,calls:0,call:e,children:new Map}}function Jt(t,e,n=!1){
let s=t.children.get(e);return s||t.children.set(e,s=dt(e,n)),s}function os(t,e){let n=dt(e?"time in calls":"c\
alls");for(let s of t.rows){let i=e?s.times?.total_ns??0:s.calls,o=[...s.site??[]].reverse().map(r=>r.func||(r.
file??"?").replace(/^.*\//,"")+(r.offset?"+0x"+r.offset.toString(16):"")),l=n;l.value+=i,l.calls+=s.calls;for(let r of[
...o,s.func??""])l=Jt(l,r,r===s.func&&r!==""),l.value+=i,l.calls+=s.calls}return n}function rs(t){let e=dt(t.timed?
"time in functions":"calls of functions"),n=[e];for(let s of t.places){n.length=s.depth+1;let i=Jt(n[s.depth]??
e,s.name),o=t.timed?s.own_ns:s.calls;for(let l of n)l.value+=o;i.value+=o,i.calls+=s.calls,n.push(i)}return e.
calls=t.places.reduce((s,i)=>s+i.calls,0),e}var Yt={id:"icicle",title:"Icicle",command:t=>t.detail.startsWith(
Ve)?["functions","--tree"]:["profile","--by","site"],key:t=>X(t)+(t.panel==="icicle"?t.detail:""),show:(t,e)=>{
O(e,async(n,s)=>{let i=t.store.now,o=i.detail.startsWith(Ve),l=o?Ve:"",r=t.overview.kinds.includes("functions")?
m("div",{class:"controls"},W("of ",[["","call sites"],[Ve,"functions"]],l,b=>t.store.set({detail:b}))):null,a,
c,u="";if(o){let b=await C("functions",{rank:i.selection.rank},n,s);c=b.timed,a=rs(b),b.complete||(u=" Not all\
 functions are shown: tabard functions --tree prints the rest."),Object.keys(i.selection).some(v=>v!=="rank")&&
(u+=" Of the selection only ranks count here: functions are of the whole run.")}else{let b=await C("profile",{
...z(i),by:"site"},n,s);c=b.time_ns!==void 0,a=os(b,c)}if(!a.value)return[...r?[r]:[],m("p",{class:"empty"},"T\
here is nothing of this kind in the selection.")];let h=i.detail.slice(l.length).split(Xt).filter(Boolean),d=a;
for(let b of h)d=d.children.get(b)??d;let f=m("div",{class:"icicle",role:"tree","aria-label":"Functions by "+(c?
"time":"calls")}),p=Math.max(400,e.clientWidth-40),g=b=>`${b.name}: ${c?x(b.value):""} ${F(b.value/a.value)}, ${y(
b.calls)} calls`,w=0,M=(b,v,_,k)=>{let K=b.value/d.value*p;if(K<1.5||w++>3e3)return;let L=m("button",{type:"bu\
tton",role:"treeitem",title:g(b),"aria-label":g(b),click:()=>{b.call?t.store.select({function:b.name}):t.store.
set({detail:l+(b===d?k.slice(0,-1):k).join(Xt)})}},K>30?b.name:"");L.style.left=v+"px",L.style.top=_*is+"px",L.
style.width=Math.max(1,K-1)+"px",L.style.background=b.call?ne(Y(3)):ne(Y(U.findIndex(N=>N.key==="lifecycle"))),
b.call?L.style.color="#111820":L.style.color="inherit",f.append(L);let D=v;for(let N of[...b.children.values()].
sort((ie,ue)=>ue.value-ie.value))M(N,D,_+1,[...k,N.name]),D+=N.value/d.value*p};M(d,0,0,h);let A=o?c?"their ti\
me":"the number of calls":c?"time in calls":"the number of calls";return[...r?[r]:[],m("p",{class:"empty"},`As\
 wide as ${A} of all selected ranks${o?"":"; orange: calls"}. A click unfolds, on the uppermost goes back.`+u),
f]})}};var Zt={id:"loops",title:"Loops",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.selection.function,
t.selection.step_loop,t.panel==="loops"?t.detail:""]),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,o=await C(
"loops",{rank:i.selection.rank,function:i.selection.function,step_loop:i.selection.step_loop},n,s),l=Math.max(
0,Math.min(o.classes.length-1,Number(i.detail)||0)),r=o.classes[l];if(!r)return[m("p",{class:"empty"},"No call\
s are selected.")];let a=m("div",{},m("p",{class:"empty"},"A loop, or all of a rank, as C: choose \u2018as C\u2019.")),
c=m("div",{class:"tree"},Qt(r.body,r.blocks??[],0,t,u=>{Gt(a,r.blocks??[],u)}));return[m("div",{class:"control\
s"},W("ranks that do the same ",o.classes.map((u,h)=>[String(h),`${u.ranks||"?"}${u.thread?", thread "+u.thread:
""} (${y(u.calls)} calls)`]),String(l),u=>t.store.set({detail:u==="0"?"":u})),m("span",{},`${y(o.classes.length)}\
 ${o.classes.length===1?"class":"classes"}`),m("button",{type:"button",click:()=>{Gt(a,r.blocks??[])}},"all of\
 it as C")),m("div",{class:"columns"},c,a)]})}};function as(t){let e=t.site?.[0],n=ae(e?[e]:[]);return e?.last_line&&
e.last_line!==e.line?n.replace(/:(\d+)/,`:$1-${e.last_line}`):n}function Qt(t,e,n,s,i){let o=m("ul",{role:n?"g\
roup":"tree"});for(let l of t){let r=l.body??(l.block!==void 0?e[l.block]:void 0),a=l.min===l.max?y(l.min):`${y(
l.min)} to ${y(l.max)}`,c=m("li",{role:"treeitem"}),u=l.share_of_time!==void 0?F(l.share_of_time)+" of time":F(
l.share_of_calls)+" of calls",h=l.kind==="call"?`${a==="1"?"":a+" \xD7 "}${l.func}`:l.kind==="loop"?`loop, ${a}\
 times`:l.kind==="mixed"?"calls in no regular order":"block",d=(l.params??[]).filter(p=>/^(dest|source|count|sendcount|tag|root|comm)$/.
test(p.name)).map(p=>`${p.name} ${p.relation?"= "+p.relation:p.values.join(", ")+(p.more?", \u2026":"")}`).join(
"; "),f=m("span",{class:"node"+(l.time_step?" step":"")},l.kind==="call"?m("button",{type:"button",class:"text",
click:()=>s.store.select({function:l.func??""})},h):m("span",{},h),l.time_step&&m("span",{class:"bad"},"time s\
tep"),m("span",{class:"count"},u),m("span",{class:"params"},d),m("span",{class:"params",title:ae(l.site)},as(l)),
l.kind==="loop"&&m("button",{type:"button",click:()=>i(l)},"as C"));if(r?.length&&n<40){let p,g=n<3,w=m("butto\
n",{type:"button",class:"toggle","aria-expanded":g?"true":"false","aria-label":"unfold "+h},g?"\u25BE":"\u25B8"),
M=A=>{w.setAttribute("aria-expanded",String(A)),T(w,A?"\u25BE":"\u25B8"),p?.remove(),p=void 0,A&&c.append(p=Qt(
r,e,n+1,s,i))};w.addEventListener("click",()=>M(!p)),c.append(w,f),g&&M(!0)}else c.append(m("span",{class:"tog\
gle"}),f);o.append(c)}return o}function en(t,e,n=0){if(t.func||n>40)return t.func;for(let s of t.body??(t.block!==
void 0?e[t.block]??[]:[])){let i=en(s,e,n+1);if(i)return i}}async function Gt(t,e,n){T(t,m("p",{class:"pending"},
"writing C \u2026"));try{let s=n?.site?.[0],i=await B("code",{times:n?.max,call:n?en(n,e):void 0}),o=i.text.split(
`
`),l=o.length>5e3?o.slice(0,5e3).join(`
`)+`
/* ${o.length-5e3} more lines: tabard proxy writes all */`:i.text;T(t,m("h3",{},`${i.title||(s?ae([s]):"")} (${y(
i.lines)} lines)`),m("pre",{class:"code",tabindex:0}));let r=t.querySelector("pre");r&&(r.textContent=l.replace(
/[^\S\n\t ]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,"\uFFFD"));
for(let a of i.notes??[])t.append(m("p",{class:"empty"},a))}catch(s){T(t,m("p",{class:"failed"},ce(s)))}}var we=24;function H(t){if(!t.rows.length)return m("p",{class:"empty"},t.empty??"There is nothing of this kind\
 in the selection.");let e=t.rows,n=t.sort??-1,s=!1,i=Math.max(0,t.chosen?e.findIndex(t.chosen):0),o=m("tbody"),
l=m("tr",{"aria-rowindex":1}),r=m("table",{role:"grid","aria-label":t.label,"aria-rowcount":e.length+1},m("the\
ad",{},l),o),a=m("div",{class:"scroll",tabindex:-1},r);function c(){let w=t.columns[n]?.by;e=w?[...t.rows].sort(
(M,A)=>{let b=w(M),v=w(A);return(b<v?-1:b>v?1:0)*(s?1:-1)}):t.rows}function u(){T(l,...t.columns.map((w,M)=>m(
"th",{scope:"col",class:(w.number?"number":"")+(w.wide?" wide":""),title:w.help,"aria-sort":n===M?s?"ascending":
"descending":void 0},w.by?m("button",{type:"button",click:()=>{s=n===M?!s:!w.number,n=M,c(),u(),i=0,d()}},w.title+
(n===M?s?" \u25B4":" \u25BE":"")):w.title)))}function h(w){let M=m("tr",{"aria-hidden":"true"},m("td",{colspan:t.
columns.length,class:"spacer"}));return M.firstChild.style.height=w*we+"px",M}function d(w=!1){let M=Math.max(
0,Math.floor(a.scrollTop/we)-10),A=Math.min(e.length,M+Math.ceil((a.clientHeight||600)/we)+20),b=[];M>0&&b.push(
h(M));for(let v=M;v<A;v++){let _=e[v],k=m("tr",{"aria-rowindex":v+2,tabindex:v===i?0:-1,"data-row":v,"aria-sel\
ected":t.chosen?.(_)?"true":void 0},...t.columns.map(K=>m("td",{class:(K.number?"number":"")+(K.wide?" wide":"")},
K.cell(_))));b.push(k),w&&v===i&&queueMicrotask(()=>k.focus({preventScroll:!0}))}A<e.length&&b.push(h(e.length-
A)),o.replaceChildren(...b)}function f(w){i=Math.max(0,Math.min(e.length-1,w));let M=i*we;M<a.scrollTop?a.scrollTop=
M:M+2*we>a.scrollTop+a.clientHeight&&(a.scrollTop=M+2*we-a.clientHeight),d(!0)}function p(w){let M=e[w];M===void 0||
!t.choose||(i=w,t.choose(M))}r.addEventListener("click",w=>{let M=w.target.closest("tr[data-row]");M&&!w.target.
closest("button, a")&&p(Number(M.dataset.row))}),r.addEventListener("keydown",w=>{if(!w.target.closest("tbody"))
return;let M=Math.max(1,Math.floor(a.clientHeight/we)-2),A={ArrowDown:i+1,ArrowUp:i-1,PageDown:i+M,PageUp:i-M,
Home:0,End:e.length-1}[w.key];if(A!==void 0)f(A);else if(w.key==="Enter"||w.key===" ")p(i);else return;w.preventDefault(),
w.stopPropagation()});let g=!1;return a.addEventListener("scroll",()=>{g||(g=!0,requestAnimationFrame(()=>{g=!1,
d(o.contains(document.activeElement))}))}),t.choose&&r.classList.add("choosable"),c(),u(),requestAnimationFrame(
()=>d()),d(),a}function V(t,e,n="bar"){let s=m("span",{class:"fill "+n,"aria-hidden":"true"});return s.style.width=
Math.max(0,Math.min(100,t*100))+"%",m("span",{class:"bar"},s,m("span",{class:"value"},e))}var tn=[["p2p","point to point"],["collective","collectives"],["rma","one-sided"],["all","all"]],nn=[["bytes",
"bytes"],["messages","messages"]];function ut(t){let[e="",n=""]=t.split(",");return[tn.some(([s])=>s===e)?e:"p\
2p",nn.some(([s])=>s===n)?n:"bytes"]}var sn={id:"matrix",title:"Matrix",command:t=>["matrix","--kind",ut(t.detail)[0]],
key:t=>JSON.stringify([t.selection,ut(t.detail)]),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,[o,l]=ut(i.detail),
r=await C("matrix",{...z(i),kind:o,bins:64},n,s),a=k=>r.columns.indexOf(k),[c,u,h,d]=[a("from"),a("to"),a("mes\
sages"),a("bytes")],f=r.cells??[],p=r.bins||r.processes,g=r.processes/p,w=k=>r.bins&&g>1?`${Math.ceil(k*g)}-${Math.
ceil((k+1)*g)-1}`:String(k),M=l==="bytes"?d:h,A=k=>l==="bytes"?E(k):l==="messages"?y(k):x(k),b=k=>{let K=[...new Set(
[k[c]??0,k[u]??0])].sort((L,D)=>L-D).map(w).join(",");t.store.select({rank:K})},v=ls(f,p,c,u,M,k=>k?`${w(k[c]??
0)} to ${w(k[u]??0)}: ${y(k[h]??0)} messages, ${E(k[d]??0)}`:"",b,A,Math.max(120,e.clientHeight-96)),_=r.totals[o];
return[m("div",{class:"controls"},W("messages ",tn,o,k=>t.store.set({detail:`${k},${l}`})),W("colour ",nn,l,k=>t.
store.set({detail:`${o},${k}`})),_&&m("span",{},`${y(_.messages)} messages, ${E(_.bytes)}`+(_.nowhere?`; ${y(_.
nowhere)} to unknown partners`:"")),r.missing>0&&m("span",{class:"bad"},`${y(r.missing)} ranks are not selecte\
d or not recorded: what they send is not known`)),m("div",{class:"columns"},f.length?v:m("p",{class:"empty"},"\
No such messages in the selection."),m("div",{},H({label:"Messages by pairs of ranks",rows:f,sort:l==="bytes"?
3:2,choose:b,columns:[{title:r.bins&&g>1?"senders":"sender",number:!0,by:k=>k[c]??0,cell:k=>w(k[c]??0)},{title:r.
bins&&g>1?"receivers":"receiver",number:!0,by:k=>k[u]??0,cell:k=>w(k[u]??0)},{title:"messages",number:!0,by:k=>k[h]??
0,cell:k=>y(k[h]??0)},{title:"bytes",number:!0,by:k=>k[d]??0,cell:k=>E(k[d]??0)},{title:"mean size",number:!0,
by:k=>(k[d]??0)/(k[h]||1),cell:k=>E((k[d]??0)/(k[h]||1))}]})))]})}};function ls(t,e,n,s,i,o,l,r,a){let c=Math.
max(e,1),u=m("canvas",{width:c,height:c,role:"img","aria-label":"Senders from top to bottom, receivers from le\
ft to right. The table beside it has the same as text."}),h=Math.max(1,...t.map(v=>v[i]??0)),d=Math.min(...t.map(
v=>v[i]||1/0)),f=u.getContext("2d"),p=new Map;if(f){let v=f.createImageData(c,c);for(let _ of t){let[k,K,L]=[_[n]??
0,_[s]??0,_[i]??0];if(p.set(k*c+K,_),!L)continue;let D=h>d?Math.log(L/d)/Math.log(h/d):1,N=3*Math.round(255*Math.
max(0,Math.min(1,.06+.94*D)));v.data.set([I[N]??0,I[N+1]??0,I[N+2]??0,255],4*(k*c+K))}f.putImageData(v,0,0)}let g=m(
"p",{class:"under","aria-hidden":"true"},"rows send, columns receive"),w=Math.max(1,Math.min(28,Math.floor(a/c)));
u.style.width=w*c+"px",u.style.height=w*c+"px";let M=v=>p.get(Math.floor(v.offsetY/w)*c+Math.floor(v.offsetX/w));
u.addEventListener("pointermove",v=>T(g,o(M(v))||"rows send, columns receive")),u.addEventListener("click",v=>{
let _=M(v);_&&l(_)});let A=m("canvas",{class:"ramp",width:256,height:1,"aria-hidden":"true"}),b=A.getContext("\
2d");if(b){let v=b.createImageData(256,1);for(let _=0;_<256;_++)v.data.set([I[3*_]??0,I[3*_+1]??0,I[3*_+2]??0,
255],4*_);b.putImageData(v,0,0)}return m("div",{class:"narrow"},m("div",{class:"picture"},u),g,m("div",{class:"\
legend"},m("span",{class:"key"},Number.isFinite(d)?r(d):"",A,r(h))))}var Q=78,G=74,ve=18,rn={id:"memory",title:"Memory",key:X,show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,{from_ns:o,
to_ns:l}=t.overview.grid??{from_ns:0,to_ns:1},r=pe(i.selection.time,o,l),a=r&&{t0:Math.max(0,Math.floor(r[0])),
t1:Math.ceil(r[1])},c=await C("inflight",{...z(i,["time"]),...a},n,s),u=c.rows.reduce((p,g)=>p+g.requests,0);if(!u)
return[m("p",{class:"empty"},"No request is in flight in the selection.")];let h=c.rows.reduce((p,g)=>p+g.unsized,
0),d=c.rows.reduce((p,g)=>p+g.open,0),f=c.rows.reduce((p,g)=>g.most_bytes>p.most_bytes?g:p);return[m("p",{class:"\
empty"},`Buffers of ${j(u,"request")}, from the call that begins an operation to the one that completes it. `+
(f.most_rank<0?"None of them binds anything in this time. ":`Most of one process: ${E(f.most_bytes)}, rank ${f.
most_rank} at ${re(f.most_ns,c.to_ns-c.from_ns)}. `)+(d?`${j(d,"request")} never completed. `:"")+(h?`Not coun\
ted: ${j(h,"request")} of unknown size.`:"")),m("div",{class:"columns"},cs(t,c,Math.max(420,e.clientWidth/2-30)),
hs(t,c))]})}};function cs(t,e,n){let s=G+ve+Math.max(40,Math.min(140,e.rows.length*14)),i=m("canvas",{class:"i\
nflight",role:"img","aria-label":"Bytes in flight over time: above the sum of all ranks, below the most of a s\
ingle one in each row of ranks. The table beside it has the greatest ones. A click selects the time."}),o=devicePixelRatio||
1;i.width=Math.round(n*o),i.height=Math.round(s*o),i.style.width=n+"px",i.style.height=s+"px";let l=i.getContext(
"2d"),r=e.rows[0]?.mean_bytes.length??0,a=Array.from({length:r},(h,d)=>e.rows.reduce((f,p)=>f+(p.mean_bytes[d]??
0),0)),c=Math.max(1,...e.rows.map(h=>h.most_bytes));l&&(l.scale(o,o),ds(l,e,a,n),us(l,e,c,n,s));let u=h=>Math.
max(0,Math.min(r-1,Math.floor((h-Q)/(n-Q)*r)));return i.addEventListener("pointermove",h=>{let d=u(h.offsetX),
f=e.from_ns+d*e.bin_ns,p=e.rows[Math.floor((h.offsetY-G-ve)/(s-G-ve)*e.rows.length)];i.title=`${re(f,e.to_ns-e.
from_ns)}, mean of ${x(e.bin_ns)}: ${E(a[d]??0)} of all`+(p?`; most of one of ${ms(p)}: ${E(p.peak_bytes[d]??0)}`:
"")}),i.addEventListener("click",h=>{let d=e.from_ns+u(h.offsetX)*e.bin_ns;t.store.select({time:qe(d,Math.min(
e.to_ns,d+e.bin_ns)),steps:""})}),m("div",{class:"chart"},i)}function ds(t,e,n,s){let i=Math.max(1,...n),o=(s-
Q)/n.length;t.fillStyle=S("step"),n.forEach((l,r)=>{let a=l/i*(G-10);t.fillRect(Q+r*o,G-a,Math.max(o,.6),a)}),
t.fillStyle=S("faint"),t.strokeStyle=S("rule"),t.font="11px system-ui, DejaVu Sans, sans-serif",t.textAlign="r\
ight",t.textBaseline="middle",t.fillText(E(Math.max(0,...n)),Q-6,10),t.fillText("all",Q-6,G-8),t.fillText(re(e.
to_ns,e.to_ns-e.from_ns),s,G+ve/2),t.textAlign="left",t.fillText(re(e.from_ns,e.to_ns-e.from_ns),Q,G+ve/2),t.beginPath(),
t.moveTo(Q,G+.5),t.lineTo(s,G+.5),t.stroke()}function us(t,e,n,s,i){let o=(i-G-ve)/e.rows.length,l=0;e.rows.forEach(
(r,a)=>{let c=G+ve+a*o,u=(s-Q)/r.peak_bytes.length;r.peak_bytes.forEach((h,d)=>{let f=3*Math.round(255*h/n);t.
fillStyle=`rgb(${I[f]??0},${I[f+1]??0},${I[f+2]??0})`,t.fillRect(Q+d*u,c,u+.5,o+(o<4?.5:-1))}),!(c<l)&&(l=c+12,
t.fillStyle=S("ink"),t.textAlign="right",t.fillText(r.processes>1?`${r.rank}\u2013${r.last_rank}`:`rank ${r.rank}`,
Q-6,c+Math.max(o/2,5)))})}function ms(t){return t.processes>1?`ranks ${t.rank}-${t.last_rank}`:`rank ${t.rank}`}
function hs(t,e){let n=t.store.now,s=i=>i.processes>1?`${i.rank}-${i.last_rank}`:String(i.rank);return H({label:"\
Memory of requests in flight",rows:e.rows,chosen:i=>n.selection.rank===s(i),choose:i=>t.store.select({rank:n.selection.
rank===s(i)?"":s(i)}),columns:[{title:"ranks",number:!0,by:i=>i.rank,cell:s},{title:"most of one",number:!0,by:i=>i.
most_bytes,cell:i=>E(i.most_bytes),help:"the most that the buffers of one process take at a moment"},{title:"r\
ank",number:!0,by:i=>i.most_rank,cell:i=>i.most_rank<0?"":i.most_rank},{title:"at",number:!0,by:i=>i.most_ns,cell:i=>i.
most_rank<0?"":re(i.most_ns,e.to_ns-e.from_ns)},{title:"mean",number:!0,by:i=>on(e,i),cell:i=>E(on(e,i)),help:"\
of the time that is shown, of all ranks of the row together"},{title:"requests",number:!0,by:i=>i.requests,cell:i=>y(
i.requests),help:"of the whole run"},{title:"never completed",number:!0,by:i=>i.open,cell:i=>i.open?y(i.open):
""},{title:"",wide:!0,cell:()=>""}]})}function on(t,e){return e.mean_bytes.reduce((s,i,o)=>s+i*(Math.min(t.to_ns,
t.from_ns+(o+1)*t.bin_ns)-t.from_ns-o*t.bin_ns),0)/Math.max(1,t.to_ns-t.from_ns)}var an={id:"messages",title:"Messages",command:()=>["messages"],key:t=>JSON.stringify(t.selection),show:(t,e)=>{
O(e,async(n,s)=>{let i=t.store.now,[o,l]=t.window(),r=await C("messages",z(i),n,s),a=await C("arrows",{t0:Math.
floor(o),t1:Math.ceil(l),max:1},n,s).catch(()=>null),c=m("div",{},m("h3",{},`${y(r.messages)} messages, ${E(r.
bytes)}; ${y(r.unmatched_sends)} were never received, ${y(r.unmatched_receives)} receives got none`+(r.incomplete.
length?`; ${y(r.incomplete.length)} collectives lack members`:"")),r.unmatched.length?H({label:"Messages witho\
ut a partner",rows:r.unmatched,choose:d=>t.call(0,d.first.process,0,d.first.call),columns:[{title:"what",by:d=>d.
kind,cell:d=>d.kind},{title:"count",number:!0,by:d=>d.count,cell:d=>y(d.count)},{title:"bytes",number:!0,by:d=>d.
bytes,cell:d=>E(d.bytes)},{title:"ranks",cell:d=>d.processes},{title:"peer",number:!0,cell:d=>d.first.peer??"a\
ny"},{title:"tag",number:!0,cell:d=>d.first.tag??"any"},{title:"why",by:d=>d.reason,cell:d=>d.reason},{title:"\
call",wide:!0,cell:d=>`${d.function} @ ${d.site}`}]}):m("p",{class:"empty"},"Every message has a sender and a \
receiver."),r.incomplete.length?H({label:"Collectives that not all members made",rows:r.incomplete,choose:d=>t.
store.select({function:d.function}),columns:[{title:"missing",number:!0,by:d=>d.missing,cell:d=>`${d.missing} \
of ${d.members}`},{title:"came",cell:d=>"ranks "+d.present},{title:"collective",wide:!0,cell:d=>`${d.function}\
 @ ${d.site}`}]}):null),u=m("div",{},m("h3",{},"To whom, as functions of the rank"),H({label:"Partners as func\
tions of the rank",rows:a?.formulas??[],sort:0,empty:"No partner follows from the rank here.",choose:d=>t.store.
select({function:d.func}),columns:[{title:"calls",number:!0,by:d=>d.calls,cell:d=>y(d.calls)},{title:"formula",
by:d=>d.text,cell:d=>m("code",{},d.text)},{title:"ranks",by:d=>d.ranks,cell:d=>d.ranks},{title:"call",wide:!0,
by:d=>d.func,cell:d=>m("span",{title:d.site},`${d.func} @ ${d.site}`)}]})),h=a?.bundles?.length?m("div",{class:"\
narrow"},m("h3",{},"Pairs of ranks"),H({label:"Messages by pairs of ranks",rows:a.bundles,sort:3,choose:d=>t.store.
select({rank:d.from===d.to?String(d.from):[d.from,d.to].sort((f,p)=>f-p).join(",")}),columns:[{title:"from",number:!0,
by:d=>d.from,cell:d=>d.from},{title:"to",number:!0,by:d=>d.to,cell:d=>d.to},{title:"messages",number:!0,by:d=>d.
messages,cell:d=>y(d.messages)},{title:"bytes",number:!0,by:d=>d.bytes,cell:d=>E(d.bytes)}]})):null;return[m("\
div",{class:"columns"},c,u,...h?[h]:[])]})}};var cn={id:"comms",title:"Communicators",command:()=>["info","--comms"],key:t=>String(t.selection.comm),show:(t,e)=>{
O(e,async(n,s)=>{let i=await C("comms",{},n,s);return[H({label:"Communicators",rows:i.communicators,chosen:o=>t.
store.now.selection.comm===String(o.id),choose:o=>t.store.select({comm:t.store.now.selection.comm===String(o.id)?
"":String(o.id)}),columns:[{title:"number",number:!0,by:o=>o.id,cell:o=>o.id},{title:"name",by:o=>o.name,cell:o=>o.
name+(o.labels?.length?` (${o.labels.join(", ")})`:"")},{title:"size",number:!0,by:o=>o.size,cell:o=>y(o.size)},
{title:"made",number:!0,by:o=>o.made,cell:o=>y(o.made)},{title:"freed",number:!0,by:o=>o.freed,cell:o=>y(o.freed)},
{title:"made by",by:o=>o.how,cell:o=>o.how},{title:"members",wide:!0,cell:o=>m("span",{title:o.members},o.members)},
{title:"where",wide:!0,by:o=>o.site??"",cell:o=>m("span",{title:o.site??""},o.site??"")}]})]})}},dn={id:"ranks",
title:"Ranks",command:()=>["report"],key:X,show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,l=(await C("report",
z(i,["rank"]),n,s)).ranks??[],r=Math.max(1,...l.map(a=>Math.max(a.mpi_ns,a.computation_ns)));return[H({label:"\
Ranks",rows:l,empty:"There are no times in the selection.",chosen:a=>i.selection.rank===String(a.process),choose:a=>t.
store.select({rank:i.selection.rank===String(a.process)?"":String(a.process)}),columns:[{title:"rank",number:!0,
by:a=>a.process,cell:a=>a.process},{title:"computation",number:!0,by:a=>a.computation_ns,cell:a=>V(a.computation_ns/
r,x(a.computation_ns))},{title:"in calls",number:!0,by:a=>a.mpi_ns,cell:a=>V(a.mpi_ns/r,x(a.mpi_ns),"warm")},{
title:"share in calls",number:!0,by:a=>a.mpi_ns/(a.mpi_ns+a.computation_ns||1),cell:a=>F(a.mpi_ns/(a.mpi_ns+a.
computation_ns||1))},{title:"calls",number:!0,by:a=>a.calls,cell:a=>y(a.calls)},{title:"begins",number:!0,by:a=>a.
begin_ns,cell:a=>x(a.begin_ns)},{title:"ends",number:!0,by:a=>a.end_ns,cell:a=>x(a.end_ns)},{title:"",wide:!0,
cell:()=>""}]})]})}},mt=(t,e=0)=>e/(t.lines||1),ln=(t,e,n,s)=>e===void 0?"":V(mt(t,e)/n,x(e),s),un={id:"classe\
s",title:"Classes",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.order,t.open]),show:(t,e)=>{
O(e,async(n,s)=>{let i=t.store.now,o=await C("spent",{},n,s),l=ke(i.order==="classes"?i.open:""),r=o.total-o.classes.
length,a=Math.max(1,...o.classes.flatMap(c=>[mt(c,c.in_calls_ns),mt(c,c.computation_ns)]));return[m("h3",{},`${j(
o.total,"class")} of threads that made the same calls in the same order`+(r?`: the first ${o.classes.length}; \
the ranks of the others are rows of the map`:"")),H({label:"Classes",rows:o.classes,chosen:c=>!!i.selection.rank&&
i.selection.rank===c.ranks,choose:c=>{c.ranks&&t.store.select({rank:i.selection.rank===c.ranks?"":c.ranks})},columns:[
{title:"class",number:!0,by:c=>c.class,cell:c=>c.class},{title:"threads",number:!0,by:c=>c.lines,cell:c=>y(c.lines)},
{title:"thread",number:!0,by:c=>c.thread,cell:c=>c.thread},{title:"calls",number:!0,by:c=>c.calls,cell:c=>y(c.
calls)},{title:"computation",number:!0,by:c=>c.computation_ns??0,cell:c=>ln(c,c.computation_ns,a)},{title:"in \
calls",number:!0,by:c=>c.in_calls_ns??0,cell:c=>ln(c,c.in_calls_ns,a,"warm")},{title:"on the map",cell:c=>c.lines>
1?m("button",{type:"button","aria-expanded":String(l.has(c.class)),"aria-label":`unfold class ${c.class} on th\
e map`,click:()=>ct(t.store,c.class)},l.has(c.class)?"fold":"unfold"):""},{title:"ranks",wide:!0,cell:c=>m("sp\
an",{title:c.ranks},c.ranks||`${y(c.lines)} ranks: a list too long to show`)}]})]})}},mn={id:"steps",title:"St\
eps",command:()=>["report"],key:t=>JSON.stringify([t.selection.steps,t.selection.step_loop]),show:(t,e)=>{O(e,
async(n,s)=>{let i=t.store.now,o=await C("steps",{step_loop:i.selection.step_loop},n,s),l=new Map((o.slow??[]).
map(u=>[Math.floor(u.step/o.stride),u])),r=o.begin_ns.map((u,h)=>({i:h,begin:u,length:o.length_ns[h]??0,mean:o.
mean_ns[h]??0,work:o.computation_ns[h]??0,slow:l.get(h)})),a=Math.max(1,...r.map(u=>u.length)),c=u=>o.stride>1?
`${u*o.stride}-${Math.min(o.total,(u+1)*o.stride)-1}`:String(u);return[m("h3",{},`${y(o.total)} time steps${o.
loop?" of the loop at "+o.loop:o.region?" (region "+o.region+")":""}, median ${x(o.median_ns)}`),H({label:"Tim\
e steps",rows:r,empty:"No time steps were found.",chosen:u=>i.selection.steps===c(u.i),choose:u=>t.store.select(
{steps:i.selection.steps===c(u.i)?"":c(u.i),time:""}),columns:[{title:"step",number:!0,by:u=>u.i,cell:u=>c(u.i)},
{title:"begins",number:!0,by:u=>u.begin,cell:u=>`${(u.begin/1e9).toFixed(6)} s`},{title:"slowest rank",number:!0,
by:u=>u.length,cell:u=>V(u.length/a,x(u.length),u.slow?"warm":"bar")},{title:"mean",number:!0,by:u=>u.mean,cell:u=>x(
u.mean)},{title:"most computation",number:!0,by:u=>u.work,cell:u=>x(u.work)},{title:"too long by",number:!0,by:u=>u.
slow?.excess_ns??0,cell:u=>u.slow?x(u.slow.excess_ns):""},{title:"because of",wide:!0,by:u=>u.slow?.cause??"",
cell:u=>u.slow?`${u.slow.cause}${u.slow.process>=0?`, rank ${u.slow.process}`:""}`:""}]})]})}},hn={id:"outlier\
s",title:"Odd ranks",command:()=>["outliers"],key:X,show:(t,e)=>{O(e,async(n,s)=>{let i=await C("outliers",z(t.
store.now),n,s);return[H({label:"Ranks that did something else than the others",rows:i.outliers,empty:`All ran\
ks do what others do too (${y(i.variants.length)} ${i.variants.length===1?"variant":"variants"} of calls).`,choose:o=>{
let l=i.variants[o.variant]?.ranks??"",r=/^\d+/.exec(l)?.[0];t.store.select({rank:l}),r&&t.call(0,Number(r),0,
o.call)},columns:[{title:"ranks",by:o=>i.variants[o.variant]?.ranks??"",cell:o=>i.variants[o.variant]?.ranks??
""},{title:"like",cell:o=>i.variants[o.of]?`to ${i.variants[o.of]?.ranks}`:""},{title:"how",by:o=>o.kind,cell:o=>o.
kind},{title:"differences",number:!0,by:o=>o.differences,cell:o=>y(o.differences)},{title:"what",wide:!0,by:o=>o.
what,cell:o=>m("span",{title:o.what},o.what)}]})]})}},fn={id:"compare",title:"Compare",command:()=>["diff"],key:X,
show:(t,e)=>{O(e,async(n,s)=>{let i=await C("diff",z(t.store.now),n,s),o=i.times,l=Math.max(1,...(o?.sites??[]).
map(r=>Math.abs(r.b_ns-r.a_ns)));return[m("div",{class:"columns"},m("div",{},m("h3",{},i.same?"No differences \
in calls":`${y(i.total_differences)} differences in calls`),H({label:"Differences",rows:i.differences,empty:"B\
oth made the same calls.",choose:r=>{let a=r.loops?.find(u=>u.step),c=/^\d+/.exec(r.ranks)?.[0];t.store.select(
{rank:r.ranks,...a?{steps:String(a.iteration),time:""}:{}}),c&&!a&&t.call(r.world??0,Number(c),r.thread??0,r.call_a)},
columns:[{title:"kind",by:r=>r.kind,cell:r=>r.kind},{title:"ranks",by:r=>r.num_ranks,cell:r=>r.ranks},{title:"\
step",number:!0,by:r=>r.loops?.find(a=>a.step)?.iteration??-1,cell:r=>r.loops?.find(a=>a.step)?.iteration??""},
{title:"what",wide:!0,cell:r=>m("span",{title:r.text},r.text)}]})),m("div",{},m("h3",{},o?`time ${x(o.elapsed_a_ns)}\
 and ${x(o.elapsed_b_ns)}`:"no times"),o?H({label:"Time by call site in both",rows:o.sites,choose:r=>t.store.select(
{function:r.func}),columns:[{title:"second takes more",number:!0,by:r=>r.b_ns-r.a_ns,cell:r=>V(Math.abs(r.b_ns-
r.a_ns)/l,(r.b_ns>r.a_ns?"+":"")+x(r.b_ns-r.a_ns),r.b_ns>r.a_ns?"warm":"bar")},{title:"first",number:!0,by:r=>r.
a_ns,cell:r=>x(r.a_ns)},{title:"second",number:!0,by:r=>r.b_ns,cell:r=>x(r.b_ns)},{title:"call",wide:!0,by:r=>r.
func,cell:r=>m("span",{title:r.site??""},`${r.func} @ ${r.site??""}`)}]}):null),...i.notes?.length?[m("div",{class:"\
narrow"},...i.notes.map(r=>m("p",{class:"empty"},r)))]:[])]})}};var bn=[["site","call site"],["function","function"],["comm","communicator"],["rank","rank"]];function ht(t){return bn.
some(([e])=>e===t)?t:"site"}var gn={id:"sites",title:"Call sites",command:t=>["profile","--by",ht(t.detail)],key:t=>X(
t)+ht(t.detail),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,o=ht(i.detail),l=await C("profile",{...z(i),by:o},
n,s),r=h=>m("div",{class:"controls"},W("by ",bn,o,d=>t.store.set({detail:d==="site"?"":d})),m("span",{class:"n\
ote",role:"status"},h));if(o!=="site"||!t.overview.timed)return[r(""),Xe(t,l,null,o)];let a=h=>{e.firstElementChild?.
classList.contains("controls")&&T(e.firstElementChild.lastElementChild,h)},c=C("waits",z(i),n,h=>a(`waiting is\
 worked out: ${h.what} \u2026`)).catch(()=>null),u=await Promise.race([c,new Promise(h=>setTimeout(()=>h(void 0),
700))]);return u!==void 0?[r(""),Xe(t,l,u,o)]:(c.then(h=>{n.aborted||T(e,r(h?"":"waiting is not known"),Xe(t,l,
h,o))}),[r("waiting is worked out \u2026"),Xe(t,l,null,o)])})}};function Xe(t,e,n,s){let i=t.store.now,o=new Map,
l=new Map;for(let d of n?.causes??[])pn(o,d.late.func+" @ "+d.late.site,d.time_ns);for(let d of n?.waits??[])pn(
l,d.waiting.func+" @ "+d.waiting.site,d.time_ns);let r=e.rows.map(d=>{let f=ae(d.site),p=`${d.func} @ ${f}`;return{
...d,where:f,name:fs(d),caused:o.get(p)??0,waited:l.get(p)??0}}),a=e.elapsed_ns??0,c=e.time_ns!==void 0,u=Math.
max(1,...r.map(d=>d.times?.total_ns??0)),h=Math.max(1,...r.map(d=>d.caused));return H({label:"Calls, by "+s,rows:r,
sort:n||c?0:1,chosen:d=>s==="rank"?i.selection.rank===String(d.rank):s==="comm"?i.selection.comm===String(d.comm?.
id):!!d.func&&i.selection.function===d.func,choose:d=>{s==="rank"?t.store.select({rank:i.selection.rank===String(
d.rank)?"":String(d.rank)}):s==="comm"?t.store.select({comm:i.selection.comm===String(d.comm?.id)?"":String(d.
comm?.id)}):d.func&&t.store.select({function:i.selection.function===d.func?"":d.func})},columns:[...n?[{title:"\
causes waiting",number:!0,by:d=>d.caused||d.waited/1e9,help:"waiting of other ranks that goes back to ranks co\
ming late to these calls",cell:d=>d.caused?V(d.caused/h,x(d.caused),"warm"):""}]:[],...c?[{title:"time",number:!0,
by:d=>d.times?.total_ns??0,cell:d=>V((d.times?.total_ns??0)/u,x(d.times?.total_ns??0))},{title:"share",number:!0,
by:d=>d.times?.total_ns??0,help:"of the time of all ranks",cell:d=>F((d.times?.total_ns??0)/(s==="rank"?d.elapsed_ns||
1:a||1))}]:[],...n?[{title:"waiting in it",number:!0,by:d=>d.waited,cell:d=>d.waited?x(d.waited):""}]:[],{title:"\
calls",number:!0,by:d=>d.calls,cell:d=>y(d.calls)},...c?[{title:"mean",number:!0,by:d=>d.times?.mean_ns??0,cell:d=>d.
times?x(d.times.mean_ns):""},{title:"longest",number:!0,by:d=>d.times?.max_ns??0,cell:d=>d.times?x(d.times.max_ns):
""}]:[],{title:"bytes",number:!0,by:d=>d.bytes,cell:d=>d.bytes?E(d.bytes):""},...s==="site"||s==="function"?[{
title:"ranks",number:!0,by:d=>d.ranks,cell:d=>y(d.ranks)}]:[],{title:s==="site"?"function":s,by:d=>s==="rank"?
d.rank??0:d.name,cell:d=>d.name},...s==="site"?[{title:"call site",wide:!0,by:d=>d.where,cell:d=>m("span",{title:d.
where},d.where||"unknown")}]:[]]})}function fs(t){return t.comm?t.comm.name:t.rank!==void 0?(t.world?`w${t.world}\
:`:"")+t.rank:t.func??""}function pn(t,e,n){t.set(e,(t.get(e)??0)+n)}var vn=[["causes","causes"],["places","where they wait"],["ranks","ranks"],["steps","time steps"]];function wn(t){
let e={view:"causes"};for(let n of t.split(",")){let[s="",i]=n.split(":");s==="cause"&&i?e.cause=i:s==="kind"&&
i?e.kind=i:vn.some(([o])=>o===s)&&(e.view=s)}return e}function ps(t){return[t.view,t.cause&&"cause:"+t.cause,t.
kind&&"kind:"+t.kind].filter(Boolean).join(",")}var yn={id:"waits",title:"Waits",command:t=>{let e=wn(t.detail);return["waits",...e.cause?["--cause",e.cause]:
[],...e.kind?["--kind",e.kind]:[]]},key:t=>JSON.stringify([t.selection,t.detail]),show:(t,e)=>{O(e,async(n,s)=>{
let i=t.store.now,o=wn(i.detail),l=z(i,o.cause?["rank"]:[]),r=await C("waits",{...l,cause:o.cause,kind:o.kind},
n,s),a=d=>t.store.set({detail:ps({...o,...d})}),c=Object.entries(r.kinds).filter(([,d])=>d.count>0).sort((d,f)=>f[1].
time_ns-d[1].time_ns),u=Math.max(1,...c.map(([,d])=>d.time_ns)),h=m("div",{class:"narrow"},m("h3",{},`${x(r.total.
time_ns)} in ${y(r.total.count)} waits, ${F(r.total.time_ns/(r.elapsed_ns||1))} of the time`),H({label:"Kinds \
of waits",rows:c,empty:"Nobody waits for anybody in the selection.",chosen:([d])=>o.kind===d.replaceAll(" ","-"),
choose:([d])=>a({kind:o.kind===d.replaceAll(" ","-")?"":d.replaceAll(" ","-")}),columns:[{title:"pattern",by:([
d])=>d,cell:([d])=>d},{title:"waits",number:!0,by:([,d])=>d.count,cell:([,d])=>y(d.count)},{title:"time",number:!0,
by:([,d])=>d.time_ns,cell:([,d])=>V(d.time_ns/u,x(d.time_ns),"warm")}]}));return[m("div",{class:"controls"},W(
"show ",vn,o.view,d=>a({view:d})),o.cause!==void 0&&m("span",{},`only what rank ${o.cause} causes `,m("button",
{type:"button",click:()=>a({cause:""})},"show all")),o.kind!==void 0&&m("span",{},`only ${o.kind.replaceAll("-",
" ")} `,m("button",{type:"button",click:()=>a({kind:""})},"show all"))),m("div",{class:"columns"},h,m("div",{},
bs(r,o.view,t)))]})}};function bs(t,e,n){let s=r=>n.store.select({steps:String(r),time:""}),i=(r,a=-1)=>n.store.
select(a>=0?{rank:String(r),steps:String(a),time:""}:{rank:String(r)},{detail:`causes,cause:${r}`}),o=r=>m("sp\
an",{title:r},r);if(e==="places"){let r=Math.max(1,...t.waits.map(a=>a.time_ns));return H({label:"Where ranks \
wait",rows:t.waits,choose:a=>n.store.select({function:a.waiting.func}),columns:[{title:"time",number:!0,by:a=>a.
time_ns,cell:a=>V(a.time_ns/r,x(a.time_ns),"warm")},{title:"waits",number:!0,by:a=>a.count,cell:a=>y(a.count)},
{title:"longest",number:!0,by:a=>a.max_ns,cell:a=>x(a.max_ns)},{title:"pattern",by:a=>a.kind,cell:a=>a.kind},{
title:"waiting most",by:a=>a.waiters?.[0]?.process??-1,cell:a=>a.waiters?.[0]?`rank ${a.waiters[0].process}`:""},
{title:"for",by:a=>a.causers?.[0]?.process??-1,cell:a=>a.causers?.[0]?`rank ${a.causers[0].process}`:""},{title:"\
waiting in",wide:!0,by:a=>a.waiting.site,cell:a=>o(`${a.waiting.func} @ ${a.waiting.site}`)},{title:"late in",
wide:!0,by:a=>a.late.site,cell:a=>o(`${a.late.func} @ ${a.late.site}`)}]})}if(e==="ranks"){let r=Math.max(1,...t.
processes.map(c=>c.root_ns)),a=c=>Object.values(c.waited_ns).reduce((u,h)=>u+h,0);return H({label:"Ranks by th\
e waiting that goes back to them",rows:t.processes,sort:1,choose:c=>i(c.process),columns:[{title:"rank",number:!0,
by:c=>c.process,cell:c=>c.process},{title:"goes back to it",number:!0,by:c=>c.root_ns,cell:c=>V(c.root_ns/r,x(
c.root_ns),"warm")},{title:"others wait for it",number:!0,by:c=>c.caused_ns,cell:c=>x(c.caused_ns)},{title:"it\
 waits",number:!0,by:a,cell:c=>x(a(c))},{title:"mostly",wide:!0,cell:c=>Object.entries(c.waited_ns).sort((u,h)=>h[1]-
u[1])[0]?.[0]??""}]})}if(e==="steps"){let r=Math.max(1,...t.steps.map(a=>a.time_ns));return H({label:"Waiting \
by time step",rows:t.steps,sort:1,empty:"No time steps were found.",choose:a=>s(a.step),columns:[{title:"step",
number:!0,by:a=>a.step,cell:a=>y(a.step)},{title:"waiting",number:!0,by:a=>a.time_ns,cell:a=>V(a.time_ns/r,x(a.
time_ns),"warm")},{title:"because of",number:!0,by:a=>a.cause_ns,cell:a=>a.cause>=0?x(a.cause_ns):""},{title:"\
mostly because",wide:!0,cell:a=>{let c=t.causes[a.cause];return c?o(`rank ${c.process} comes late to ${c.late.
func} @ ${c.late.site}`):""}}]})}let l=Math.max(1,...t.causes.map(r=>r.time_ns));return H({label:"Causes of wa\
iting",rows:t.causes,choose:r=>i(r.process,r.worst_step),columns:[{title:"waiting",number:!0,by:r=>r.time_ns,cell:r=>V(
r.time_ns/l,x(r.time_ns),"warm")},{title:"waits",number:!0,by:r=>r.waits,cell:r=>y(r.waits)},{title:"late rank",
number:!0,by:r=>r.process,cell:r=>r.process},{title:"worst step",number:!0,by:r=>r.worst_step,cell:r=>r.worst_step>=
0?`${y(r.worst_step)} (${x(r.worst_step_ns)})`:""},{title:"comes late to",wide:!0,by:r=>r.late.site,cell:r=>o(
`${r.late.func} @ ${r.late.site}`)}]})}function kn(t,e,n,s){let i=[n[0]],o=[s[0]],l=t&&e&&t.stride===e.stride?Math.min(t.begin_ns.length,e.begin_ns.length):
0;for(let r=0;r<l;r++){let a=t?.begin_ns[r]??0,c=e?.begin_ns[r]??0;a>(i.at(-1)??0)&&c>(o.at(-1)??0)&&(i.push(a),
o.push(c))}return i.push(Math.max(n[1],(i.at(-1)??0)+1)),o.push(Math.max(s[1],(o.at(-1)??0)+1)),r=>{let a=0,c=i.
length-2;for(;a<c;){let p=a+c+1>>1;(i[p]??0)<=r?a=p:c=p-1}let[u=0,h=1,d=0,f=1]=[i[a],i[a+1],o[a],o[a+1]];return d+
(r-u)/(h-u)*(f-d)}}async function ft(t,e,n,s,i){let o=await B("overview",{rec:1});if(!o.grid||!t.overview.grid)
return;let l=await B("steps",{rec:1}).catch(()=>{}),r=[t.overview.grid.from_ns,t.overview.grid.to_ns],a=[o.grid.
from_ns,o.grid.to_ns],c=new xe({rec:1,overview:o,store:t.store,own:kn(i,l,r,a),shared:kn(l,i,a,r)});c.element.
classList.add("second"),n.append(m("h2",{},`${o.name}: coupled with the first by ${i?.total&&l?.total?"iterati\
on":"time"}`),c.element),s.push(c),l&&c.setSteps(l),ws(t,e,c)}var gs=40;async function ws(t,e,n){let s=await B(
"diff").catch(()=>null);for(let i of s?.differences.slice(0,gs)??[]){let o=Number(/^\d+/.exec(i.ranks)?.[0]??-1);
if(o<0)continue;let l=i.loops?.find(a=>a.step),r=()=>t.store.select({rank:i.ranks,...l?{steps:String(l.iteration),
time:""}:{}},{panel:"compare"});for(let[a,c,u]of[[0,e,i.call_a],[1,n,i.call_b]]){let d=(await B("calls",{rec:a||
void 0,rank:o,thread:i.thread||void 0,from:u,limit:1}).catch(()=>null))?.calls[0]?.start_ns;d!==void 0&&(c.markers.
push({at:d,rank:o,text:i.text,choose:r}),c.draw())}}}function xn(t){let e=m("ul",{class:"hits",id:"hits",role:"listbox","aria-label":"What was found",hidden:!0}),n=m(
"input",{type:"search",placeholder:"search  ( / )","aria-label":"Search functions, call sites, ranks, values",
role:"combobox","aria-controls":"hits","aria-expanded":"false",autocomplete:"off",spellcheck:"false",disabled:q}),
s=[],i=-1,o=new AbortController,l=0;function r(){e.hidden=!0,n.setAttribute("aria-expanded","false"),i=-1}function a(){
[...e.children].forEach((h,d)=>{h.setAttribute("aria-selected",String(d===i)),d===i&&h.scrollIntoView({block:"\
nearest"})}),i>=0?n.setAttribute("aria-activedescendant",`hit${i}`):n.removeAttribute("aria-activedescendant")}
function c(h){r(),n.blur();let d={};for(let[f,p]of Object.entries(h.select??{}))te.includes(f)&&(d[f]=p);t.store.
select(d),h.rank>=0&&(h.kind==="value"||h.kind==="site")&&t.call(0,h.rank,h.thread,h.call),t.say(`${h.kind} ${h.
text} selected`)}async function u(h){o.abort(),o=new AbortController;let d=o;if(!h)return r();e.hidden=!1,n.setAttribute(
"aria-expanded","true");try{let f=await B("search",{q:h,limit:50},{signal:d.signal,pending:p=>T(e,m("li",{},p.
what+" \u2026"))});if(d.signal.aborted)return;s=f.hits??[],i=s.length?0:-1,T(e,...s.map((p,g)=>m("li",{role:"o\
ption",id:`hit${g}`,pointerdown:w=>{w.preventDefault(),c(p)}},m("span",{class:"kind"},p.kind),m("span",{class:"\
text",title:p.text},p.text),m("span",{},p.calls?y(p.calls):""))),s.length?null:m("li",{},"Nothing is called th\
at."),f.more?m("li",{class:"kind"},"There is more: write more of it."):null),a()}catch(f){d.signal.aborted||T(
e,m("li",{class:"bad"},f instanceof Error?f.message:String(f)))}}return n.addEventListener("input",()=>{clearTimeout(
l),l=setTimeout(()=>{u(n.value.trim())},120)}),n.addEventListener("blur",r),n.addEventListener("keydown",h=>{let d=s.
length;if(h.key==="ArrowDown"&&d)i=(i+1)%d;else if(h.key==="ArrowUp"&&d)i=(i+d-1)%d;else if(h.key==="Enter"&&s[i])
c(s[i]);else if(h.key==="Escape")r(),n.blur();else return;h.preventDefault(),a()}),{element:m("div",{class:"se\
arch"},n,e),focus:()=>{n.focus(),n.select()}}}var se=54,le=78,Je=class{constructor(e){this.store=e;this.element=m("div",{class:"strip"},this.canvas,this.tip),
new ResizeObserver(()=>this.draw()).observe(this.element),addEventListener("themechange",()=>this.draw()),e.listen(
(s,i)=>{s.selection.steps!==i.selection.steps&&this.draw()});let n=this.canvas;n.addEventListener("pointerdown",
s=>{n.setPointerCapture(s.pointerId),this.drag={x:s.offsetX,x1:s.offsetX}}),n.addEventListener("pointermove",s=>{
this.drag?(this.drag.x1=s.offsetX,this.draw()):this.point(s.offsetX)}),n.addEventListener("pointerleave",()=>this.
tip.hidden=!0),n.addEventListener("pointerup",()=>{let s=this.drag;this.drag=void 0;let i=this.steps;if(!s||!i?.
begin_ns.length)return;let[o,l]=[this.at(Math.min(s.x,s.x1)),this.at(Math.max(s.x,s.x1))],r=Math.min(i.total-1,
(l+1)*i.stride-1),a=o*i.stride;e.select({steps:a===r?String(a):`${a}-${r}`,time:""})})}store;element;canvas=m(
"canvas",{tabindex:0,role:"img"});tip=m("div",{class:"tip",hidden:!0});steps;width=0;waiting=!1;drag;show(e){this.
steps=e;let n=e.slow?.length??0;this.canvas.setAttribute("aria-label",`Durations of ${j(e.total,"time step")},\
 median ${x(e.median_ns)}, ${j(n,"step")} unusually long. The table Steps has the same as text.`),this.draw()}none(e){
T(this.element,m("p",{class:"empty"},e))}at(e){let n=this.steps?.begin_ns.length??1;return Math.max(0,Math.min(
n-1,Math.floor((e-le)/(this.width-le)*n)))}draw(){this.waiting||(this.waiting=!0,requestAnimationFrame(()=>{this.
waiting=!1,this.paint()}))}paint(){let e=this.steps;if(this.width=this.element.clientWidth,!e||!this.width)return;
let n=devicePixelRatio||1;this.canvas.width=this.width*n,this.canvas.height=se*n,this.canvas.style.width=this.
width+"px",this.canvas.style.height=se+"px";let s=this.canvas.getContext("2d");if(!s)return;s.setTransform(n,0,
0,n,0,0),s.fillStyle=S("paper"),s.fillRect(0,0,this.width,se);let i=e.length_ns.length;if(!i)return;let o=[...e.
length_ns].sort((d,f)=>d-f),l=Math.min(o[i-1]??1,Math.max((o[Math.floor(i*.99)]??1)*1.5,e.median_ns*4)),r=new Set(
(e.slow??[]).map(d=>Math.floor(d.step/e.stride))),a=be(this.store.now.selection.steps,e.total),c=this.width-le,
u=d=>se-2-Math.min(1,d/l)*(se-8),h=c/i;for(let d=0;d<i;d++){let f=le+d*h,p=e.length_ns[d]??0,g=a&&(d*e.stride+
e.stride-1<a[0]||d*e.stride>a[1]);s.globalAlpha=g?.35:1,s.fillStyle=r.has(d)?S("bad"):S("step");let w=Math.max(
h-(h>4?1:0),r.has(d)?2:.6);if(s.fillRect(f,u(p),w,se-u(p)),h>2){s.fillStyle=S("stepwork");let M=u(e.computation_ns[d]??
0);s.fillRect(f,M,w,se-M)}p>l&&(s.fillStyle=S("paper"),s.fillRect(f,10,w,2))}s.globalAlpha=1,s.strokeStyle=S("\
accent"),s.setLineDash([3,3]),s.beginPath(),s.moveTo(le,u(e.median_ns)+.5),s.lineTo(this.width,u(e.median_ns)+
.5),s.stroke(),s.setLineDash([]),s.fillStyle=S("faint"),s.font="11px system-ui, DejaVu Sans, sans-serif",s.textAlign=
"right",s.fillText(x(l),le-6,14),s.fillText("steps",le-6,se-6),Math.abs(u(e.median_ns)-14)>14&&Math.abs(u(e.median_ns)-
se+6)>14&&s.fillText("median",le-6,u(e.median_ns)+4),this.drag&&(s.fillStyle=S("select"),s.fillRect(Math.min(this.
drag.x,this.drag.x1),0,Math.abs(this.drag.x1-this.drag.x),se))}point(e){let n=this.steps;if(!n?.begin_ns.length||
e<le){this.tip.hidden=!0;return}let s=this.at(e),i=(n.slow??[]).find(l=>Math.floor(l.step/n.stride)===s),o=s*n.
stride;T(this.tip,m("b",{},n.stride>1?`steps ${o}-${Math.min(n.total,o+n.stride)-1}`:`step ${o}`),m("div",{},`${x(
n.length_ns[s]??0)}, computation ${x(n.computation_ns[s]??0)}`),m("div",{},`median of all ${x(n.median_ns)}`),
i&&m("div",{class:"bad"},`${x(i.excess_ns)} too long: ${i.cause}${i.process>=0?`, rank ${i.process}`:""}`)),this.
tip.hidden=!1,this.tip.style.left=Math.min(e+12,this.width-this.tip.offsetWidth-4)+"px",this.tip.style.top="4p\
x"}};var $=new Ae;async function vs(){let t;try{t=await B("overview")}catch(e){document.body.replaceChildren(m("p",
{class:"fatal",role:"alert"},ce(e)));return}document.title=oe(t.name)+" - tabard",ys(t)}function ys(t){let e=m(
"span",{class:"status",role:"status"}),n=h=>T(e,h),s,i=[],o=()=>i[0],l=[t.grid?.from_ns??0,t.grid?.to_ns??1],r={
store:$,overview:t,say:n,steps:()=>s,look:(h,d)=>{let f=o();f&&f.look(h,d,f.view[2],f.view[3],!1)},call:(h,d,f,p)=>$.
set({call:[h,d,f,p],panel:"call"}),window:()=>pe($.now.selection.time,...l)??l},a=xn(r),c=[gn,yn,qt,an,sn,Zt,Yt,
Vt,rn,dn,un,mn,cn,hn];t.recordings>1&&c.push(fn);let u=m("div",{class:"maps"});if(t.grid&&t.timed){let h=new Je(
$),d=new xe({rec:0,overview:t,store:$});i.push(d),u.append(m("div",{class:"bar-of-map"},Mn("colour ",At,"color",
f=>$.set({color:f})),Mn("rows ",ks(t.grid.orders),"order",f=>$.set({order:f,view:void 0})),Nt($,d)),h.element,
d.element),B("steps").then(f=>{if(s=f,!f.total)return h.none("No time steps were found in this run (see tabard\
 loops).");h.show(f),d.setSteps(f),t.recordings>1&&ft(r,d,u,i,f)},f=>{h.none(ce(f)),t.recordings>1&&ft(r,d,u,i,
void 0)})}else u.append(m("p",{class:"empty"},"This recording has no times of calls, so that there is no map. \
The tables below are complete."));document.body.replaceChildren(m("div",{},m("a",{href:"#panel",class:"skip",click:h=>{
h.preventDefault(),document.getElementById("panel")?.focus()}},"skip to the tables"),xs(t,a.element,r,c),$t(r),
_s(n),St(t)),m("main",{},u,Tt(r)),Ss(),$s(c,r),m("footer",{},e,m("span",{},t.version)));for(let h of document.
querySelectorAll(".panel"))h.id="panel";Ls(r,a.focus,i,c,l),addEventListener("jump",h=>{Ye(h.detail,r,l)}),Object.
assign(window,{tabard:{frames:()=>i.flatMap(h=>h.frames),first:()=>i[0]?.firstPicture??NaN,calls:()=>i[0]?.callsDrawn()??
[],bands:()=>i[0]?.bandsDrawn()??[],near:h=>i[0]?.near(h)}})}function ks(t){let e={rank:"ranks",class:"ranks b\
y class",host:"ranks by host"},n=t.map(s=>[s,e[s]??s]);return q?n:[...n,["classes","classes"]]}function Mn(t,e,n,s){
let i=W(t,e,$.now[n],s);return $.listen(o=>{let l=i.querySelector("select");l&&(l.value=o[n])}),i}function xs(t,e,n,s){
let i=(o,l,r)=>m("button",{type:"button",title:l,"aria-label":l,click:r},o);return m("header",{},m("h1",{title:t.
name},t.name),m("span",{class:"what",title:`${t.command.join(" ")}
${t.mpi}`},`${t.command.join(" ")} \u2014 ${j(t.hosts,"host")}, ${t.created.slice(0,16).replace("T"," ")}`),e,
i("\u21B6","Undo (U)",()=>$.undo()),i("\u21B7","Redo (Shift+U)",()=>$.redo()),i("copy as command","Copy as com\
mand (C)",()=>{$n(n,s)}),i("export","Export the selection (E)",()=>Sn(n,s)),i("\u25D0","Dark or light (T)",_n),
i("?","Help (?)",Ze))}function _n(){let t=document.documentElement.dataset.theme??(matchMedia("(prefers-color-\
scheme: dark)").matches?"dark":"light");document.documentElement.dataset.theme=t==="dark"?"light":"dark",dispatchEvent(
new Event("themechange"))}var pt={rank:"ranks",function:"functions",comm:"communicator",time:"time",in:"region",
steps:"steps",step_loop:"step loop"},Ms={rank:"0,4-7",function:"p2p,MPI_Allreduce",comm:"0",time:"10%..30%",in:"\
solve",steps:"10-19",step_loop:"100"};function _s(t){let e=new Map,n=m("section",{class:"selection","aria-labe\
l":"Selection"}),s=m("button",{type:"button",title:"Select everything (Esc)",click:()=>$.set({selection:{}})},
"clear");for(let o of te){if(o==="step_loop")continue;let l=m("input",{placeholder:"all",title:`${pt[o]}, e.g.\
 ${Ms[o]}`,"aria-label":pt[o],spellcheck:"false",autocomplete:"off"});l.addEventListener("change",()=>$.select(
{[o]:l.value.trim()})),l.addEventListener("keydown",r=>{r.key==="Escape"&&l.blur()}),e.set(o,l),n.append(m("la\
bel",{class:o},pt[o],l))}n.append(s);let i=()=>{for(let[o,l]of e)l.value=$.now.selection[o]??"",l.classList.toggle(
"set",!!$.now.selection[o]);s.disabled=!Object.keys($.now.selection).length};return $.listen((o,l)=>{i(),o.selection!==
l.selection&&t(Object.keys(o.selection).length?"selected: "+Ne(o.selection):"everything is selected")}),i(),n}
function $s(t,e){let n=m("div",{role:"tablist","aria-label":"Panels"}),s=m("div",{class:"panel",role:"tabpanel",
tabindex:-1}),i="",o=()=>t.find(c=>c.id===$.now.panel)??t[0],l=c=>$.set({panel:c.id,detail:""}),r=t.map(c=>m("\
button",{type:"button",role:"tab",id:"tab-"+c.id,click:()=>l(c)},c.title));n.append(...r),n.addEventListener("\
keydown",c=>{let u=t.indexOf(o()),h={ArrowRight:u+1,ArrowLeft:u-1,Home:0,End:t.length-1}[c.key],d=h===void 0?void 0:
t[(h+t.length)%t.length];d&&(c.preventDefault(),c.stopPropagation(),l(d),r[t.indexOf(d)]?.focus())});let a=()=>{
let c=o();t.forEach((d,f)=>{r[f]?.setAttribute("aria-selected",String(d===c)),r[f]?.setAttribute("tabindex",d===
c?"0":"-1")}),s.setAttribute("aria-labelledby","tab-"+c.id);let u=c.id+c.key($.now);if(u===i)return;let h=s.contains(
document.activeElement);i=u,c.show(e,s),h&&s.focus()};return $.listen(a),addEventListener("themechange",()=>{i=
"",a()}),a(),m("section",{class:"bottom","aria-label":"Panels"},n,s)}function Ss(){let t=m("button",{type:"but\
ton",class:"grip","aria-label":"Move the border between map and tables: up and down keys"}),e=n=>document.body.
style.setProperty("--bottom",Math.max(80,Math.min(innerHeight-330,n))+"px");return t.addEventListener("pointer\
down",n=>t.setPointerCapture(n.pointerId)),t.addEventListener("pointermove",n=>{t.hasPointerCapture(n.pointerId)&&
e(innerHeight-n.clientY-22)}),t.addEventListener("keydown",n=>{let s={ArrowUp:30,ArrowDown:-30}[n.key];s&&(n.stopPropagation(),
n.preventDefault(),e((document.querySelector(".bottom")?.clientHeight??264)+s))}),t}var Ts={info:[],dump:[],functions:[
"rank"],outliers:["rank"],loops:["rank","function","step_loop"]};function Cs(t,e){let n=e.find(r=>r.id===$.now.
panel)??e[0];if(!n.command)return;let[s="report",...i]=n.command($.now),o=Ts[s],l=Object.fromEntries(Object.entries(
$.now.selection).filter(([r])=>o?.includes(r)??!0));return["tabard",s,$e(t.overview.name),...i.map($e),Ne(l)].
filter(Boolean).join(" ")}async function $n(t,e){let n=Cs(t,e);if(!n)return t.say("No command prints this pane\
l: E saves it as text.");Re("The tabard line that prints the same",n,t.say)}function Sn(t,e){let n=t.overview.
name.replace(/\.tabard$/,""),s=e.find(i=>i.id===$.now.panel)??e[0];kt([{text:`save what \u201C${s.title}\u201D show\
s as text (.csv)`,run:()=>Qe(`${n}-${s.id}.csv`,new Blob([Ps()],{type:"text/csv"}))},{text:"save the picture o\
f the map (.png)",run:()=>document.querySelector(".map canvas")?.toBlob(i=>i&&Qe(`${n}.png`,i))},{text:"copy t\
he link to this view",run:()=>Re("The link to this view",$.link,t.say)},{text:"copy the line that writes the s\
election in the format of another tool (here Perfetto)",run:()=>Re("Export",["tabard export perfetto",$e(t.overview.
name),Ne($.now.selection)].filter(Boolean).join(" "),t.say)}])}function Ps(){let t=e=>{let n=(e.textContent??"").
trim(),s=/^[=+@\t\r-]/.test(n)&&!/^[-+]?[\d.]/.test(n)?"'"+n:n;return/[",\n]/.test(s)?'"'+s.replaceAll('"','""')+
'"':s};return[...document.querySelectorAll(".panel table")].map(e=>[...e.querySelectorAll("tr:not([aria-hidden\
])")].map(n=>[...n.children].map(t).join(",")).join(`
`)).join(`

`)+`
`}async function Ye(t,e,n){let s=e.steps();if(!s?.total)return e.say("No time steps were found in this run.");
t=Math.max(0,Math.min(s.total-1,t));let i=s.begin_ns[Math.floor(t/s.stride)]??n[0],o=i+(s.length_ns[Math.floor(
t/s.stride)]??0);if(!q)try{let a=await B("step",{k:t});[i,o]=[a.begin_ns,a.end_ns]}catch{}let l=$.now.view,r=Math.
max(1,o-i)*.04;$.select({steps:String(t),time:""},{view:[i-r,o+r,l?.[2]??0,l?.[3]??e.overview.grid?.lines??1]})}
function bt(t,e){let n=t.steps();if(!n)return 0;let s=be($.now.selection.steps,n.total);if(s)return s[0];let i=$.
now.view,o=i?(i[0]+i[1])/2:e[0],l=-1;for(let r of n.begin_ns){if(r>o)break;l++}return l*n.stride}function Ls(t,e,n,s,i){
let o=()=>{let a=[...t.steps()?.slow??[]].map(u=>u.step).sort((u,h)=>u-h);if(!a.length)return t.say("No time s\
tep takes unusually long.");let c=$.now.selection.steps?bt(t,i):-1;Ye(a.find(u=>u>c)??a[0]??0,t,i)},l=n[0],r={
w:()=>l?.zoom(.7),s:()=>l?.zoom(1/.7),a:()=>l?.pan(-.2),d:()=>l?.pan(.2),ArrowLeft:()=>l?.pan(-.2),ArrowRight:()=>l?.
pan(.2),ArrowUp:()=>l?.scroll(-.2),ArrowDown:()=>l?.scroll(.2),"+":()=>l?.zoomLines(.5),"=":()=>l?.zoomLines(.5),
"-":()=>l?.zoomLines(2),0:()=>$.set({view:void 0}),f:()=>l?.fit(),"[":()=>{Ye(bt(t,i)-1,t,i)},"]":()=>{Ye(bt(t,
i)+1,t,i)},o,"/":e,"?":Ze,x:()=>l?.unfold(),u:()=>$.undo(),U:()=>$.redo(),t:_n,Escape:()=>$.set({selection:{}}),
m:()=>{for(let a of n)a.messages=!a.messages,a.draw();t.say(l?.messages?"messages are drawn":"messages are not\
 drawn")},c:()=>{$n(t,s)},e:()=>Sn(t,s)};s.slice(0,9).forEach((a,c)=>r[String(c+1)]=()=>$.set({panel:a.id,detail:""})),
addEventListener("keydown",a=>{if(a.target.closest("input, textarea, select, dialog"))return;if((a.ctrlKey||a.
metaKey)&&!a.altKey){let h={z:()=>a.shiftKey?$.redo():$.undo(),Z:()=>$.redo(),y:()=>$.redo()}[a.key];return h?
(a.preventDefault(),h()):void 0}if(a.ctrlKey||a.metaKey||a.altKey)return;let u=r[a.key]??(a.key.length===1?r[a.
key.toLowerCase()]:void 0);u&&(a.preventDefault(),u())}),addEventListener("themechange",()=>n.forEach(a=>a.draw()))}
vs();})();
