"use strict";(()=>{var ee=class extends Error{constructor(n,s){super(s);this.status=n}status},he=(()=>{let t=document.getElementById(
"tabard-data");return t?JSON.parse(t.textContent??"{}").answers:null})(),q=he!==null;function Me(t,e={}){let n=Object.
keys(e).sort().filter(s=>e[s]!==void 0&&e[s]!=="").map(s=>`${encodeURIComponent(s)}=${encodeURIComponent(String(
e[s]))}`);return"/api/"+t+(n.length?"?"+n.join("&"):"")}var ne=new Map,Tn=200;function Cn(t){let e=ne.get(t);ne.
delete(t);let n=e??Pn(t);ne.set(t,n);for(let s of ne.keys()){if(ne.size<=Tn)break;ne.delete(s)}return n}function Pn(t){
let e=new AbortController,n=new Set,s=(async()=>{let o=await wt(t,{signal:e.signal,pending:l=>n.forEach(r=>r(l))});
if(!o.ok)throw await vt(o);return await o.json()})(),i={value:s,waiting:0,pending:n,stop:e};return s.catch(()=>ne.
get(t)===i&&ne.delete(t)),i}function gt(){return new ee(404,"This is not in this file: open the recording itse\
lf with tabard view.")}async function Ln(t){if(!he||!(t in he))throw gt();let e=he[t];if(typeof e=="object"&&e.
error)throw new ee(409,e.error);return e}async function wt(t,e){for(;;){let n;try{n=await fetch(t,{signal:e.signal??
null,credentials:"same-origin"})}catch(s){throw e.signal?.aborted?s:new ee(0,"The server does not answer: has \
tabard view ended? Start it again, and reload this page.")}if(n.status!==202)return n;if(e.pending?.(await n.json()),
await new Promise(s=>setTimeout(s,300)),e.signal?.aborted)throw new DOMException("aborted","AbortError")}}async function vt(t){
if(t.status===401||t.status===403)return new ee(t.status,"This page may not ask the server: open the address t\
hat tabard view printed.");try{return new ee(t.status,(await t.json()).error)}catch{return new ee(t.status,`Th\
e server answered with status ${t.status}.`)}}function B(t,e={},n={}){let s=Me(t,e);if(he)return Ln(s);let i=Cn(
s);i.waiting++;let{signal:o,pending:l}=n;return l&&i.pending.add(l),new Promise((r,a)=>{let c=()=>{l&&i.pending.
delete(l),a(new DOMException("aborted","AbortError")),!(--i.waiting>0)&&(ne.get(s)===i&&ne.delete(s),i.stop.abort())},
d=()=>o?.removeEventListener("abort",c);i.value.then(m=>(d(),r(m)),m=>(d(),a(m))),o?.aborted?c():o?.addEventListener(
"abort",c,{once:!0})})}async function Ee(t,e={}){if(he){let s=he[t];if(typeof s!="string")throw gt();return Uint8Array.
from(atob(s),i=>i.charCodeAt(0)).buffer}let n=await wt(t,e);if(!n.ok)throw await vt(n);return n.arrayBuffer()}var En=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;function se(t){return t.replace(En,e=>{let n=e.codePointAt(0)??
0;return n===10?"\\n":n===9?"\\t":n<256?"\\x"+n.toString(16).padStart(2,"0"):n<65536?"\\u"+n.toString(16).padStart(
4,"0"):"\\U"+n.toString(16).padStart(8,"0")})}function h(t,e={},...n){let s=document.createElement(t);return yt(
s,e),T(s,...n),s}function ye(t,e={},...n){let s=document.createElementNS("http://www.w3.org/2000/svg",t);return yt(
s,e),T(s,...n),s}function yt(t,e){for(let[n,s]of Object.entries(e))typeof s=="function"?t.addEventListener(n,s):
typeof s=="string"?t.setAttribute(n,se(s)):typeof s=="number"?t.setAttribute(n,String(s)):s===!0&&t.setAttribute(
n,"")}function T(t,...e){t.replaceChildren(...e.filter(n=>n!=null&&n!==!1).map(n=>n instanceof Node?n:se(String(
n))))}function Ge(t,...e){let n=h("dialog",{"aria-label":t},h("h2",{},t),...e,h("div",{class:"controls"},h("form",{method:"\
dialog"},h("button",{},"close"))));n.addEventListener("close",()=>n.remove()),document.body.append(n),n.showModal()}
var Rn=[["W S","zoom in and out in time"],["A D","move in time"],["\u2190 \u2192","move in time"],["\u2191 \u2193",
"move over ranks"],["+ \u2212","fewer, more ranks"],["X","classes of ranks; unfold, fold them"],["0","the whol\
e run"],["F","look at the selection"],["[ ]","previous, next iteration"],["O","next outlier iteration"],["/","\
search"],["U, Ctrl+Z","undo (also: back)"],["Shift+U, Ctrl+Y","redo"],["Esc","select everything again"],["M","\
messages on, off"],["C","copy as command"],["E","export"],["T","dark, light"],["1 \u2026 9","the panels"],["wh\
eel","zoom in time; Shift: move; Alt: ranks"],["drag","select time and ranks; Shift: move"],["click","select a\
 rank, or show a call; Ctrl: more ranks"],["double click","look at the selection"]];function Ze(){Ge("Keys and\
 mouse",h("div",{class:"keys"},...Rn.flatMap(([t,e])=>[h("kbd",{},t),h("span",{},e)])),h("p",{},"All panels sh\
ow what is selected: ranks, functions, communicators, time and steps, in the words of the command line. Tables\
: arrow keys, Page Up and Down, Home, End, and Enter to choose; Tab goes to the next part of the page."))}function Re(t,e,n){
let s=h("textarea",{readonly:!0,rows:Math.min(8,Math.ceil(e.length/80)+1),cols:84,"aria-label":t});s.value=e,navigator.
clipboard?.writeText(e).then(()=>n("copied: "+e),()=>{}),Ge(t,s),s.focus(),s.select()}function kt(t){Ge("Take \
along",...t.map(e=>h("p",{},h("button",{type:"button",click:()=>e.run()},e.text))))}function Qe(t,e){let n=URL.
createObjectURL(e);h("a",{href:n,download:t}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4)}function _e(t,e){if(t===0)return"0";let n=Number(t.toExponential(e-1).split("e")[1]);return n<-6||n>15?t.toPrecision(
e):t.toFixed(Math.max(0,e-1-n))}function x(t){let e=Math.abs(t);if(e<999.5)return(Number.isInteger(t)?String(t):
_e(t,3))+" ns";if(e<999500)return _e(t/1e3,3)+" us";if(e<9995e5)return _e(t/1e6,3)+" ms";if(e<11995e7)return _e(
t/1e9,3)+" s";if(e<72e11){let s=Math.round(t/1e9);return`${Math.trunc(s/60)} min ${Math.abs(s%60)} s`}let n=Math.
round(t/6e10);return`${Math.trunc(n/60)} h ${Math.abs(n%60)} min`}function R(t){if(Math.abs(t)<1024)return(Number.
isInteger(t)?String(t):_e(t,3))+" B";let e=0;for(t/=1024;Math.abs(t)>=1023.95&&e<5;e++)t/=1024;return`${t.toFixed(
1)} ${"KMGTPE"[e]}iB`}function y(t){return String(Math.round(t)).replace(/\B(?=(\d{3})+$)/g,",")}function F(t){
let e=100*t;return Number.isNaN(e)?"-":e>0&&e<.05?"<0.1%":e.toFixed(1)+"%"}function j(t,e){return t===1?"1 "+e:
y(t)+" "+e+(/(s|ch)$/.test(e)?"es":"s")}function ae(t,e){let n=Math.min(9,Math.max(0,2-Math.floor(Math.log10(Math.max(e,1)/1e9))));return(t/1e9).toFixed(
n)+" s"}function z(t,e=[]){let n={};for(let[s,i]of Object.entries(t.selection))e.includes(s)||(n[s]=i);return n}function X(t){
return JSON.stringify(t.selection)}function ue(t){return t instanceof ee?t.message:`This page failed: ${t instanceof
Error?t.message:String(t)}`}function An(t){return t instanceof ee&&(t.status===409||t.status===404)}var xt=new WeakMap;
async function A(t,e,n=s=>T(t,h("p",{class:"pending",role:"status"},s))){xt.get(t)?.abort();let s=new AbortController;
xt.set(t,s),t.setAttribute("aria-busy","true");let i=setTimeout(()=>{s.signal.aborted||n("\u2026")},150),o=l=>{
if(s.signal.aborted)return;clearTimeout(i);let r=l.total>0?`: ${y(l.done)} of ${y(l.total)}`:l.done>0?`: ${y(l.
done)}`:"";n(l.what+r+" \u2026")};try{let l=await e(s.signal,o);s.signal.aborted||T(t,...l)}catch(l){s.signal.
aborted||T(t,h("p",{class:An(l)?"empty":"failed",role:"status"},ue(l)))}clearTimeout(i),s.signal.aborted||t.removeAttribute(
"aria-busy")}function C(t,e,n,s){return B(t,e,{signal:n,pending:s})}function Nn(t){let e=(t.file??"").replace(
/^.*\//,"");return t.line?`${e}:${t.line}`+(t.func?` [${t.func}]`:""):t.code?t.code:t.offset!==void 0?`${e||t.
func||"?"}+0x${t.offset.toString(16)}`:t.func??e}function le(t){return(t??[]).map(Nn).join(" < ")}function W(t,e,n,s){
let i=h("select",{change:o=>s(o.target.value)},...e.map(([o,l])=>h("option",{value:o,selected:o===n},l)));return h(
"label",{},t,i)}var ie=["rank","function","comm","time","in","steps","step_loop"],On={rank:"--rank",function:"--function",comm:"\
--comm",time:"--time",in:"--in",steps:"--steps",step_loop:"--step-loop"},fe={selection:{},panel:"sites",color:"\
activity",order:"rank",open:"",detail:""};function et(t){let e=new URLSearchParams;for(let n of ie)t.selection[n]&&
e.set(n,t.selection[n]);return t.view&&e.set("view",t.view.map(n=>String(Math.round(n))).join("_")),t.panel!==
fe.panel&&e.set("panel",t.panel),t.color!==fe.color&&e.set("color",t.color),t.order!==fe.order&&e.set("order",
t.order),t.open&&e.set("open",t.open),t.call&&e.set("call",t.call.join(".")),t.detail&&e.set("detail",t.detail),
e.toString()}function Mt(t,e){let n=(t??"").split(e).map(Number);if(!(n.length!==4||n.some(s=>!Number.isFinite(
s))))return n}function _t(t){let e=new URLSearchParams(t.replace(/^#/,"")),n={...fe,selection:{}};for(let s of ie){
let i=e.get(s);i&&(n.selection[s]=i)}return n.view=Mt(e.get("view"),"_"),n.view&&(n.view[1]<=n.view[0]||n.view[3]<
1)&&(n.view=void 0),n.call=Mt(e.get("call"),"."),n.panel=e.get("panel")??fe.panel,n.color=e.get("color")??fe.color,
n.order=e.get("order")??fe.order,n.open=e.get("open")??"",n.detail=e.get("detail")??"",n}var Ae=class{state=_t(
location.hash);listeners=[];place=0;last=0;moved=0;late;constructor(){history.replaceState({place:0},""),addEventListener(
"popstate",e=>{let n=e.state?.place;n===void 0?history.replaceState({place:++this.place},""):this.place=n,this.
last=Math.max(this.last,this.place),this.moved=0,clearTimeout(this.late),this.late=void 0,this.enter(_t(location.
hash))})}get now(){return this.state}listen(e){this.listeners.push(e)}set(e,n=!1){let s={...this.state,...e},i=et(
s);if(i===et(this.state))return;let o=n&&performance.now()-this.moved<800;this.moved=n?performance.now():0,o?this.
late??=setTimeout(()=>this.settle(),300):(this.settle(),this.last=++this.place,history.pushState({place:this.place},
"","#"+i)),this.enter(s)}settle(){this.late!==void 0&&(clearTimeout(this.late),this.late=void 0,history.replaceState(
{place:this.place},"","#"+et(this.state)))}select(e,n={}){let s={...this.state.selection,...e};for(let i of ie)
s[i]||delete s[i];this.set({...n,selection:s})}get link(){return this.settle(),location.href}undo(){this.settle(),
this.place>0&&history.back()}redo(){this.settle(),this.place<this.last&&history.forward()}enter(e){let n=this.
state;this.state=e;for(let s of this.listeners)s(e,n)}};function $e(t){return/^[\w@%+=:,./-]+$/.test(t)?t:"'"+
t.replaceAll("'","'\\''")+"'"}function Ne(t){return ie.filter(e=>t[e]).map(e=>`${On[e]} ${$e(t[e]??"")}`).join(
" ")}function Oe(t){let e=[...new Set(t)].sort((s,i)=>s-i),n=[];for(let s=0;s<e.length;){let i=s;for(;i+1<e.length&&
e[i+1]===(e[i]??0)+1;)i++;n.push(s===i?String(e[s]):`${e[s]}-${e[i]}`),s=i+1}return n.join(",")}function Se(t,e){
return t?t.split(",").some(n=>{let[s,i]=n.split("-").map(Number);return s!==void 0&&e>=s&&e<=(i??s)}):!0}function He(t,e){
let n=s=>s.split(",").filter(i=>i!=="").map(i=>i.split("-").map(Number)).map(([i=NaN,o=i])=>[i,o]);return n(t).
some(([s,i])=>n(e).some(([o,l])=>s<=l&&o<=i))}function de(t,e,n,s=" of"){return h("div",{class:"figure"+s,title:n},h("dt",{},t),h("dd",{},e))}function $t(t){
let e=h("section",{class:"verdict","aria-label":"Verdict"}),n="",s=()=>{let i=JSON.stringify(t.store.now.selection);
if(i===n)return;n=i;let o=t.overview;A(e,async(l,r)=>{let a;try{a=await C("report",z(t.store.now),l,r)}catch(f){
return[h("dl",{},...tt(o)),h("div",{class:"sentence"},ue(f))]}let c=a.efficiency,d=(a.ranks??[]).reduce((f,p)=>f+
p.end_ns-p.begin_ns,0),m=Object.values(a.waits??{}).reduce((f,p)=>f+p.time_ns,0),u=(a.groups??[]).reduce((f,p)=>f+
p.time_ns,0);return[h("dl",{},a.elapsed_ns!==void 0&&de("time",x(a.elapsed_ns),"from the first call after MPI_\
Init to the last before MPI_Finalize"),c&&de("parallel efficiency",F(c.parallel),"the part of the time of all \
ranks that is computation: load balance x communication efficiency"),c&&de("load balance",F(c.load_balance),"m\
ean computation of the ranks, by the greatest"),c&&de("communication eff.",F(c.communication),"the greatest co\
mputation of a rank, by the time of the run"),u>0&&d>0&&de("in calls",F(u/d),"of the time of all ranks"),a.waits&&
d>0&&de("waiting for others",F(m/d),"of the time of all ranks: in calls that could not go on since another ran\
k came late"),...tt(o)),h("div",{class:"sentence"},i==="{}"?"":"of what is selected")]},l=>{let r=e.querySelector(
".sentence");r?T(r,l):T(e,h("dl",{},...tt(o)),h("div",{class:"sentence"},l))})};return t.store.listen(s),s(),e}
function tt(t){return[de("ranks",y(t.processes)+(t.threads>t.processes?` (${j(t.threads,"thread")})`:""),j(t.hosts,
"host"),""),de("calls",y(t.calls),"in the whole recording","")]}function St(t){let e=t.banner,n=[];return t.timed||
n.push("No times of calls were recorded: there is no map. Record with --timing=lossy."),e.time_error_ns>0&&n.push(
`times are within ${x(e.time_error_ns)}`),e.clock_residual_ns>0&&n.push(`clocks of hosts agree within ${x(e.clock_residual_ns)}`),
e.unmeasured_clocks>0&&n.push(`the clocks of ${j(e.unmeasured_clocks,"host")} are not corrected`),e.unfinished_calls>
0&&n.push(`${j(e.unfinished_calls,"call")} did not return`),e.lost_calls>0&&n.push(`${j(e.lost_calls,"call")} \
were lost`),e.snapshot&&n.push(`the job was still running when this was taken (${e.snapshot})`),e.incomplete&&
n.push(e.incomplete),h("section",{class:"banner","aria-label":"What limits these numbers"},...n.map(s=>h("span",
{},s)))}function Hn(t){let e={},n="";for(let i=1;i<t.length;i++){let[o="",l]=(t[i]??"").split(/=(.*)/s),r=o.replace(
/^--/,"").replaceAll("-","_"),a=l??t[i+1]??"";if(ie.includes(r))e[r]=a;else if(r==="cause")n="causes,cause:"+a,
e.rank=a;else if(r==="kind")n="places,kind:"+a;else continue;l===void 0&&i++}let s={waits:"waits",messages:"me\
ssages",matrix:"matrix",loops:"loops",outliers:"outliers",histogram:"histogram",profile:"sites",report:"sites",
timeline:"sites"}[t[0]??""]??"sites";return{selection:e,panel:s,detail:n}}function Tt(t){let e=h("ol",{class:"\
findings"}),n=h("h2",{},"Findings"),s="",i=l=>{let r=Hn(l.command??[]),a=r.selection,c=t.steps(),d=l.step>=0&&
(!c||l.step<c.total);d&&!a.steps&&(a.steps=String(l.step)),l.process>=0&&!a.rank&&(a.rank=String(l.process)),!Object.
keys(a).length&&l.func&&(a.function=l.func);let m=l.process>=0&&(l.command?.[0]==="dump"||["hang","deadlock","\
crash"].includes(l.kind));t.store.set({selection:a,panel:m?"call":r.panel,detail:r.detail,...m?{call:[0,l.process,
0,-1]}:{}}),a.steps&&d?dispatchEvent(new CustomEvent("jump",{detail:l.step})):l.step>=0&&c?.total&&t.overview.
grid&&t.look((c.begin_ns.at(-1)??0)+(c.length_ns.at(-1)??0),t.overview.grid.to_ns),t.say("selected: "+l.text)};
return s||(s="all",A(e,async(l,r)=>{let a=await C("report",{},l,r);return T(n,`Findings (${a.findings.length})`),
a.findings.length?a.findings.map(c=>h("li",{},h("button",{type:"button",title:c.text,click:()=>i(c)},h("span",
{class:"cost"},c.cost_ns>0?`${x(c.cost_ns)}, ${F(c.share)}`:""),h("span",{class:"kind"},c.kind),h("span",{class:"\
text short"},c.text)))):[h("li",{class:"empty"},"Nothing stands out: no finding concerns 1% of the time.")]})),
h("aside",{"aria-label":"Findings"},n,e)}var De=[4456788,4728952,4082057,3238030,2523790,2072201,3520377,7261784,11918891,16639781],U=[{key:"computatio\
n",name:"computation",light:14278114,dark:3752525},{key:"point_to_point",name:"point to point",light:29362,dark:29362},
{key:"wait",name:"wait",light:13983232,dark:13983232},{key:"collective",name:"collective",light:15113984,dark:15113984},
{key:"rma",name:"one-sided",light:13400487,dark:13400487},{key:"io",name:"files",light:40563,dark:40563},{key:"\
other_mpi",name:"other MPI",light:5682409,dark:5682409},{key:"lifecycle",name:"init and finalize",light:11782108,
dark:5071224},{key:"unselected",name:"not chosen",light:9081758,dark:9081758}],st=[["bytes_sent","bytes sent"],
["bytes_received","bytes received"],["messages_sent","messages sent"],["messages_received","messages received"]];
function me(t){return st.some(([e])=>e===t)}function je(t){return[t>>16,t>>8&255,t&255]}var Ct=new Map;function oe(t){
let e=Ct.get(t);return e===void 0&&Ct.set(t,e="#"+t.toString(16).padStart(6,"0")),e}var I=(()=>{let t=new Uint8Array(
768);for(let e=0;e<256;e++){let n=e/255*(De.length-1),s=Math.min(Math.trunc(n),De.length-2),i=je(De[s]??0),o=je(
De[s+1]??0);for(let l=0;l<3;l++)t[3*e+l]=Math.round((i[l]??0)*(1-(n-s))+(o[l]??0)*(n-s))}return t})(),Pt=matchMedia(
"(prefers-color-scheme: dark)"),nt=new Map,Lt;function Dn(){nt.clear(),Lt=void 0}addEventListener("themechange",
Dn);Pt.addEventListener("change",()=>dispatchEvent(new Event("themechange")));function J(){let t=document.documentElement.
dataset.theme;return Lt??=t?t==="dark":Pt.matches}function Y(t){let e=U[t]??U[0];return J()?e.dark:e.light}function S(t){
let e=nt.get(t);return e===void 0&&(e=getComputedStyle(document.documentElement).getPropertyValue("--"+t).trim(),
nt.set(t,e)),e}var it=16,jn=128,Be=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;asked=new Set;busy=new Set;failure;of(e,n,s,i,o){
for(let l=0;n+l<=i;l++){let r=this.piece(e,n+l,Math.floor(s/2**l),o,l===0),a=r?r.head.rows.findIndex(m=>m.class===
e.class):-1,c=r?.head.rows[a];if(!r||!c?.read)continue;let d=r.head.bins*3;return{level:n+l,x:Math.floor(s/2**
l),lines:c.lines,read:c.read,shares:r.cells.subarray(a*d,(a+1)*d)}}}piece(e,n,s,i,o){let l=Math.floor(e.class/
it)*it,r=Me("bands",{...i,rec:this.rec||void 0,level:n,x:s,first:l,rows:it});return o&&!this.asked.has(r)&&(this.
asked.add(r),this.pieces.get(r)?.head.exact||this.fetch(r)),this.pieces.get(r)}async fetch(e){if(this.busy.has(
e))return;this.busy.add(e);let n=this.pieces.get(e)??null;this.pieces.delete(e),this.pieces.set(e,n);for(let i of this.
pieces.keys()){if(this.pieces.size<=jn)break;this.pieces.delete(i)}let s=!1;try{let i=await Ee(e),o=new DataView(
i).getUint32(0,!0),l=JSON.parse(new TextDecoder().decode(new Uint8Array(i,4,o)));this.pieces.has(e)&&this.pieces.
set(e,{head:l,cells:new Uint8Array(i,4+o)}),this.failure=void 0,s=!l.exact}catch(i){this.failure=i instanceof Error?
i.message:String(i)}setTimeout(()=>{this.busy.delete(e),s&&this.asked.has(e)&&this.fetch(e)},s?100:0),this.changed()}abandon(){
this.asked.clear()}};function Te(t){return U.some(e=>e.key===t)?t:"mpi"}function Ce(t){return U.find(e=>e.key===
t)?.name??"in calls"}function Rt(t,e,n,s){let i=e.shares.length/3,o=2**e.level,l=u=>s.x((e.x*i+u)*o),r=(u,f)=>s.
y+s.height-(e.shares[u*i+f]??0)/255*s.height,a=Math.max(0,Math.floor(Et(l,i,s.left))),c=Math.min(i,Math.ceil(Et(
l,i,s.right))+1);if(c<=a)return;let d=U.findIndex(u=>u.key===n),m=oe(d>0?Y(d):J()?5682409:29362);t.save(),t.beginPath(),
t.rect(s.left,s.y,s.right-s.left,s.height),t.clip(),t.fillStyle=m,t.globalAlpha=.35,t.beginPath();for(let u=a;u<
c;u++)ot(t,l(u),l(u+1),r(2,u),u===a);for(let u=c-1;u>=a;u--)ot(t,l(u+1),l(u),r(0,u),!1);t.closePath(),t.fill(),
t.globalAlpha=1,t.strokeStyle=S("ink"),t.lineWidth=1.4,t.beginPath();for(let u=a;u<c;u++)ot(t,l(u),l(u+1),r(1,
u),u===a);t.stroke(),t.restore()}function Et(t,e,n){return(n-t(0))/(t(e)-t(0))*e}function ot(t,e,n,s,i){i?t.moveTo(
e,s):t.lineTo(e,s),t.lineTo(n,s)}function Fe(t){let e=j(t.lines,t.thread?"thread":"rank");return`class ${t.class}\
: ${e}`+(t.ranks&&t.lines>1?`, ${t.ranks}`:"")}var At=[["activity","activity"],["mpi","share in calls"],...U.slice(0,8).map(t=>[t.key,"share of "+t.name]),...q?
[]:st];function Nt(t,e){let n=h("div",{class:"legend",role:"list","aria-label":"Legend"}),s=()=>{let i=t.now.order===
"classes"&&!q?h("span",{class:"key",role:"listitem"},h("span",{class:"swatch band","aria-hidden":"true"}),`${Ce(
Te(t.now.color))}: least, median, greatest`):null;if(t.now.color==="activity"){T(n,i,...U.map((d,m)=>{if(!e.seen.
has(d.key))return null;let u=h("span",{class:"swatch","aria-hidden":"true"});return u.style.background=oe(Y(m)),
h("span",{class:"key",role:"listitem"},u,d.name)}));return}let o=h("canvas",{class:"ramp",width:256,height:1,"\
aria-hidden":"true"}),l=o.getContext("2d"),r=l?.createImageData(256,1);if(l&&r){for(let d=0;d<256;d++)r.data.set(
[I[3*d]??0,I[3*d+1]??0,I[3*d+2]??0,255],4*d);l.putImageData(r,0,0)}let a=t.now.color;if(!me(a))return T(n,h("s\
pan",{class:"key"},"0%",o,"100% of the time"),i);T(n,h("span",{class:"key",title:"The scale is logarithmic, ov\
er four powers of ten; where nothing is moved, the colour is that of 0."},"0",o,`${(d=>a.startsWith("bytes")?R(
d):y(d))(e.most)} a second and line`),i)};return t.listen((i,o)=>{(i.color!==o.color||i.order!==o.order)&&s()}),
e.element.addEventListener("seen",s),addEventListener("themechange",s),s(),n}var Bn=150;function Ot(t,e,n,s,[i,o]){let l=new Set,r=[];for(let d of e)for(let m of d.arrows??[]){let u=`${m.
from}.${m.send}-${m.to}.${m.receive}`;l.has(u)||(l.add(u),!(n(m.end_ns)<i||n(m.begin_ns)>o||!s.has(m.from)&&!s.
has(m.to))&&r.push(m))}if(r.length>Bn)return;let a=S("line"),c=S("bad");for(let d of[!1,!0]){t.strokeStyle=d?c:
a,t.fillStyle=t.strokeStyle,t.lineWidth=d?1.6:1,t.beginPath();for(let m of r){if(m.wait_ns>0!==d)continue;let u=s.
get(m.from)??(s.get(m.to)??0)+(m.from<m.to?-2e3:2e3),f=s.get(m.to)??u+(m.to>m.from?2e3:-2e3),p=n(m.begin_ns),b=n(
m.end_ns);t.moveTo(p,u),t.lineTo(b,f);let g=Math.atan2(f-u,b-p);for(let M of[2.7,-2.7])t.moveTo(b,f),t.lineTo(
b+7*Math.cos(g+M),f+7*Math.sin(g+M));if(d){let M=n(m.end_ns-m.wait_ns);t.moveTo(M,f+4),t.lineTo(b,f+4),t.moveTo(
M,f+1),t.lineTo(M,f+7)}}t.stroke()}}var Fn=4e3,ze=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;arrowPieces=new Map;aligned(e,n){
let s=2**Math.ceil(Math.log2(Math.max(64,n-e)));return{length:s,first:Math.floor(e/s),last:Math.floor(n/s)}}of(e,n,s){
let{length:i,first:o,last:l}=this.aligned(n,s),r=[];for(let a=Math.max(0,o);a<=l;a++){let c={rec:this.rec||void 0,
rank:e.rank,thread:e.thread||void 0,world:e.world||void 0,t0:a*i,t1:(a+1)*i,max:Fn},d=JSON.stringify(c),m=this.
pieces.get(d);m?.lane?r.push(m.lane):m||this.ask(d,c)}return zn(r)}ask(e,n){let s={};if(this.pieces.set(e,s),B(
"lanes",n).then(i=>s.lane=i,()=>s.failed=!0).finally(()=>this.changed()),this.pieces.size>600)for(let i of[...this.
pieces.keys()].slice(0,200))this.pieces.delete(i)}arrows(e,n){let{length:s,first:i,last:o}=this.aligned(e,n),l=[];
for(let r=Math.max(0,i);r<=o;r++){let a={rec:this.rec||void 0,t0:r*s,t1:(r+1)*s,max:2e3},c=JSON.stringify(a),d=this.
arrowPieces.get(c);if(d?.arrows&&l.push(d.arrows),d)continue;let m={};if(this.arrowPieces.set(c,m),B("arrows",
a).then(u=>m.arrows=u,()=>m.failed=!0).finally(()=>this.changed()),this.arrowPieces.size>60)for(let u of[...this.
arrowPieces.keys()].slice(0,20))this.arrowPieces.delete(u)}return l}};function zn(t){let e=t[0];if(!e||t.length<
2)return t;let n=new Map,s=new Map,i=new Map,o=[],l=[],r=(a,c,d)=>{let m=a.get(c);a.set(c,m?{...m,start_ns:Math.
min(m.start_ns,d.start_ns),end_ns:Math.max(m.end_ns,d.end_ns)}:d)};for(let a of t){if(!a.calls?.length&&a.total>
0)return[];let c=(d,m)=>d<0?-1:d+m.length;for(let d of a.calls??[])n.set(d.index,{...d,site:c(d.site,o),kernel:c(
d.kernel,l)});for(let d of a.loops??[])r(s,`${d.level} ${d.iteration} ${d.name}`,d);for(let d of a.regions??[])
r(i,`${d.level} ${d.start_ns} ${d.name}`,d);o.push(...a.sites??[]),l.push(...a.kernels??[])}return[{...e,to_ns:t.
at(-1)?.to_ns??e.to_ns,total:n.size,calls:[...n.values()],loops:[...s.values()],regions:[...i.values()],sites:o,
kernels:l}]}var In=new Map(U.map((t,e)=>[t.key,e]));function rt(t,e,n,s,i,o){if(i<24)return;t.fillStyle=o;let l=Math.
floor((i-6)/6.1);l<3||(e=se(e),t.fillText(e.length>l?e.slice(0,l-1)+"\u2026":e,n+3,s))}function Kn(t){return((t>>
16)*299+(t>>8&255)*587+(t&255)*114)/1e3>140}function Un(t,e){if(!t)return!0;let n=!0;for(let s of t.split(",").
map(i=>i.trim().toLowerCase())){let i=s.startsWith("mpi_")||s.includes("*"),o=s.split("*").map(l=>l.replace(/[^\w]/g,
"\\$&")).join(".*");if(i&&new RegExp(`^${o}$`).test(e.toLowerCase()))return!0;n&&=i}return n?!1:void 0}function Ht(t,e,n,s){
let{y:i,height:o,x:l,left:r,right:a,chosen:c}=n,d=e.calls??[];if(!d.length&&e.total>0)return!1;let m=e.loops??
[],u=o>=26?Math.min(3,m.reduce((w,v)=>Math.max(w,v.level+1),0)):0,f=o>=26?(e.regions??[]).filter(w=>w.level<1):
[],p=u+(f.length?1:0)>0?Math.min(13,Math.floor(o*.5/(u+(f.length?1:0)))):0,b=i;t.font="10px ui-monospace, Deja\
Vu Sans Mono, monospace",t.textBaseline="middle",t.textAlign="left";for(let w of f){let v=Math.max(r,l(w.start_ns)),
_=Math.min(a,l(w.end_ns))-v;if(_<=0)continue;t.fillStyle=J()?"#2f5d50":"#bfe3d6",t.fillRect(v,b,_,p-1);let k=w.
times>1?`${w.name||"regions"} (${w.times} times)`:w.name;p>=10&&rt(t,k,v,b+p/2,_,J()?"#e8ecf1":"#1f2933"),s.push(
{x:v,width:_,y:b,height:p,line:e,region:k})}f.length&&(b+=p);for(let w of m){if(w.level>=u)continue;let v=Math.
max(r,l(w.start_ns)),_=Math.min(a,l(w.end_ns))-v;if(_<=0)continue;let k=b+w.level*p;t.fillStyle=J()?w.iteration%
2?"#3d4a63":"#4b5a78":w.iteration%2?"#c9d6ea":"#dbe4f2",t.fillRect(v,k,Math.max(.6,_-1),p-1);let E=(w.iteration===
w.last_iteration?`${w.iteration}`:`${w.iteration}-${w.last_iteration}`)+(w.step?" step":"")+"  "+w.name;p>=10&&
rt(t,E,v,k+p/2,_,J()?"#e8ecf1":"#1f2933"),s.push({x:v,width:_,y:k,height:p,line:e,loop:w})}b+=u*p;let g=i+o-b,
M=Math.max(r,l(e.from_ns)),N=Math.min(a,l(e.to_ns));if(d.length&&N>M){let w=Math.max(r,l(d[0]?.start_ns??e.from_ns)),
v=Math.min(a,l(d.at(-1)?.end_ns??e.to_ns));t.fillStyle=oe(Y(0)),t.fillRect(w,b,v-w,g)}for(let w of d){let v=Math.
max(r,l(w.start_ns)),_=Math.min(a,l(w.end_ns));if(_<r||v>a)continue;let k=Un(n.functions,w.func)===!1?U.length-
1:In.get(w.category)??6,K=Y(k),E=Math.max(.7,_-v),D=w.nested?g*.3:0;if(t.fillStyle=oe(K),t.fillRect(v,b+D,E>3?
E-.7:E,g-D),w.unfinished){t.fillStyle=J()?"#ffffff":"#000000";for(let Q=v;Q<_;Q+=8)t.fillRect(Q,b+g-3,4,2)}w.index===
c&&(t.strokeStyle=J()?"#ffffff":"#000000",t.lineWidth=2,t.strokeRect(v-1,b-1,E+2,g+2));let O=e.kernels?.[w.kernel],
Z=O?.short??w.func.replace(/^P?MPIX?_/,"");g>=10&&rt(t,Z,v,b+g/2,E,Kn(K)?"#111820":"#ffffff"),s.push({x:v,width:E,
y:b,height:g,line:e,call:w,site:e.sites?.[w.site],kernel:O})}return!0}var Pe=class t{total=0;runs=[];bands=[];static plain(e){let n=new t;return n.lines(0,e),n}static folded(e,n,s){
let i=new t,o=e.filter(c=>c.lines>1),l=o.reduce((c,d)=>c+(s.has(d.class)?0:d.lines),0),r=Math.max(2,Math.ceil(
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
new Uint8Array(l,4,r))),me(s.head.value)?(s.values=new Float32Array(l.slice(4+r)),s.most=jt(s.head,s.values).reduce(
(a,c)=>Math.max(a,c),0)):s.cells=new Uint8Array(l,4+r),!s.head.exact&&(s.head.pending>0||!me(s.head.value))&&!q&&
setTimeout(()=>{s.stale=!0,this.changed()},700),this.tiles.set(e,s)}catch(l){o.aborted?i?i.stale=!0:this.tiles.
delete(e):(s.error=l instanceof Error?l.message:String(l),this.tiles.set(e,s))}this.asking--,this.trim(),this.
changed(),this.next()}trim(){if(this.tiles.size<=Dt)return;let e=[...this.tiles].filter(([,n])=>n.head||n.error).
sort((n,s)=>n[1].used-s[1].used);for(let[n]of e.slice(0,this.tiles.size-Dt))this.tiles.delete(n)}coarser(e,n){
for(let s=1;e.level+s<=this.grid.level;s++){let i={...e,level:e.level+s,x:Math.floor(e.x/2**s)},o=this.tile(i,
n,!1);if(o?.head)return{tile:o,place:i}}}};function jt(t,e){let n=t.categories.length,s=new Float32Array(t.bins*
t.rows.length);return t.rows.forEach((i,o)=>{let l=1e9/(2**t.level*Math.max(1,i.read));for(let r=o*t.bins;r<(o+
1)*t.bins;r++){let a=0;for(let c=0;c<n;c++)a+=e[r*n+c]??0;s[r]=a*l}}),s}function Wn(t,e){return t<=0?0:Math.max(
.04,Math.min(1,1+Math.log10(t/e)/4))}function Ke(t,e,n,s){if(!t.head||!t.cells&&!t.values)return;let i=e+(t.values?
"/"+n:"")+(J()?"/dark":""),o=t.pixels.get(i);if(o||!s())return o;let{bins:l,rows:r}=t.head,a=t.head.categories.
length,c=document.createElement("canvas");c.width=l,c.height=Math.max(1,r.length);let d=c.getContext("2d");if(!d)
return;let m=d.createImageData(l,Math.max(1,r.length)),u=t.head.categories.map(f=>U.findIndex(p=>p.key===f));if(t.
values)Xn(jt(t.head,t.values),m.data,n);else if(t.cells)e==="activity"?Vn(t.cells,m.data,a,u.map(f=>je(Y(f)))):
Jn(t.cells,m.data,a,t.head.categories.map(f=>e==="mpi"?f!=="computation":f===e));else return;return d.putImageData(
m,0,0),t.pixels.set(i,c),c}function Vn(t,e,n,s){let i=s.map(o=>o.map(l=>qn[l]??0));for(let o=0,l=0;l<e.length;o+=
n,l+=4){let r=0,a=0,c=0,d=0;for(let m=0;m<n;m++){let u=t[o+m]??0;if(!u)continue;let f=i[m];f&&(r+=u*(f[0]??0),
a+=u*(f[1]??0),c+=u*(f[2]??0),d+=u)}d&&(e[l]=at[Math.round(r/d*4095)]??0,e[l+1]=at[Math.round(a/d*4095)]??0,e[l+
2]=at[Math.round(c/d*4095)]??0,e[l+3]=Math.min(255,d+2))}}function Xn(t,e,n){t.forEach((s,i)=>{let o=3*Math.round(
255*Wn(s,n));e[4*i]=I[o]??0,e[4*i+1]=I[o+1]??0,e[4*i+2]=I[o+2]??0,e[4*i+3]=255})}function Jn(t,e,n,s){for(let i=0,
o=0;o<e.length;i+=n,o+=4){let l=0,r=0;for(let c=0;c<n;c++){let d=t[i+c]??0;r+=d,s[c]&&(l+=d)}if(!r)continue;let a=3*
Math.min(255,Math.round(255*l/r));e[o]=I[a]??0,e[o+1]=I[a+1]??0,e[o+2]=I[a+2]??0,e[o+3]=255}}function Bt(t){return t.
first.map(e=>{let n=new URLSearchParams(e.replace(/^.*\?/,"")),s=i=>Number(n.get(i)??0);return{level:s("level"),
x:s("x"),first:s("first"),group:s("group")||1,rows:s("rows"),path:e}})}var Yn={ns:1,us:1e3,\u00B5s:1e3,ms:1e6,s:1e9,m:6e10,h:36e11};function Ue(t,e,n){let s=t.trim();if(s.endsWith("\
%"))return e+(n-e)*Number(s.slice(0,-1))/100;if(s!==""&&Number.isFinite(Number(s)))return Number(s)*1e9;let i=0,
o=s;for(;o;){let l=/^([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/.exec(o);if(!l)return;i+=Number(l[1])*(Yn[l[2]??""]??NaN),
o=o.slice(l[0].length)}return s?i:void 0}function pe(t,e,n){if(!t)return;if(t.includes("..")){let[l="",r=""]=t.
split(".."),a=l.trim()?Ue(l,e,n):e,c=r.trim()?Ue(r,e,n):n;return a===void 0||c===void 0?void 0:[a,c]}let s=t.search(
/(?<![eE])\+/);if(s<1)return;let i=Ue(t.slice(0,s),e,n),o=Ue(t.slice(s+1),0,n-e);return i===void 0||o===void 0?
void 0:[i,i+o]}function be(t,e){let n=/^\s*(\d*)\s*(-|\.\.)?\s*(\d*)\s*$/.exec(t??"");if(!t||!n)return;let s=n[1]?
Number(n[1]):0;return[s,n[3]?Number(n[3]):n[2]?e-1:s]}function qe(t,e){return`${Math.max(0,Math.floor(t))}ns..${Math.
ceil(e)}ns`}var P=78,L=34,Gn=44,ge=4096,xe=class t{constructor(e){this.o=e;this.grid=e.overview.grid,this.first=Bt(this.grid),
this.own=e.own??(n=>n),this.shared=e.shared??(n=>n),this.tiles=new Ie(e.rec,this.grid,()=>this.draw()),this.lanes=
new ze(e.rec,()=>this.draw()),this.bands=new Be(e.rec,()=>this.draw()),this.element=h("div",{class:"map"},this.
canvas,this.tip,this.note),this.canvas.setAttribute("aria-label",`Time from left to right, ${j(this.grid.lines,
"line")} from top to bottom. The arrow keys move, plus and minus zoom. The table Ranks has the same as text.`),
new ResizeObserver(()=>this.resize()).observe(this.element),e.store.listen((n,s)=>{let i=n.selection===s.selection&&
n.order===s.order&&n.color===s.color;(!i||n.view!==s.view)&&this.bands.abandon(),i?n.view!==s.view&&this.tiles.
drop():this.tiles.abandon(),this.draw()}),this.listen()}o;element;canvas=h("canvas",{tabindex:0,role:"img"});tip=h(
"div",{class:"tip",hidden:!0});note=h("div",{class:"mapnote","aria-live":"polite"});tiles;lanes;bands;classes;grid;first;width=0;height=0;waiting=!1;lines=new Map;linesOrder="\
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
r));let{total:c}=this.layout;i=Math.max(1,Math.min(c,i)),s=Math.max(0,Math.min(c-i,s));let d=e<=l.from_ns&&e+r>=
l.to_ns&&i===c;this.o.store.set({view:d?void 0:[this.shared(e),this.shared(e+r),s,i]},o)}zoom(e,n=this.pointer?.
x??P+this.plot/2){let[s,i,o,l]=this.view,r=this.timeAt(Math.max(P,n));this.look(r-(r-s)*e,r+(i-r)*e,o,l)}pan(e){
let[n,s,i,o]=this.view;this.look(n+e*(s-n),s+e*(s-n),i,o)}scroll(e){let[n,s,i,o]=this.view,l=Math.sign(e)*Math.
max(1,Math.round(Math.abs(e)*o));this.look(n,s,i+l,o)}zoomLines(e,n=this.pointer?.y??L+(this.height-L)/2){let[
s,i,o,l]=this.view,r=Math.max(1,Math.round(e>1?Math.max(l+1,l*e):Math.min(l-1,l*e))),a=this.lineAt(n);this.look(
s,i,Math.round(a-(a-o)*(r/l)),r)}get plot(){return Math.max(1,this.width-P)}get row(){return Math.min(Gn,(this.
height-L)/this.view[3])}x=e=>{let[n,s]=this.view;return P+(e-n)/(s-n)*this.plot};timeAt(e){let[n,s]=this.view;
return n+(e-P)/this.plot*(s-n)}lineAt(e){return this.view[2]+(e-L)/this.row}resize(){let e=this.element.getBoundingClientRect(),
n=devicePixelRatio||1;this.width=Math.max(200,e.width),this.height=Math.max(60,e.height),this.canvas.width=Math.
round(this.width*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.width=this.width+"px",this.
canvas.style.height=this.height+"px",this.draw()}draw(){this.waiting||!this.width||(this.waiting=!0,requestAnimationFrame(
()=>{this.waiting=!1;let e=performance.now();this.paint(),this.frames.push(performance.now()-e),(this.heads.length||
this.drawnBands.length)&&(this.firstPicture??=performance.now()),this.frames.length>500&&this.frames.splice(0,
250)}))}filtered;get filter(){let e=this.o.store.now,{selection:n,order:s}=e,i=me(e.color)?e.color:void 0;if(this.
filtered?.of.selection!==n||this.filtered.of.order!==s||this.filtered.filter.params.value!==i){let o={function:n.
function,comm:n.comm,in:n.in,order:this.order,value:i};this.filtered={of:e,filter:{params:o,key:JSON.stringify(
o)}}}return this.filtered.filter}paint(){let e=this.canvas.getContext("2d");if(!e)return;let n=devicePixelRatio||
1;e.setTransform(n,0,0,n,0,0),e.fillStyle=S("paper"),e.fillRect(0,0,this.width,this.height);let s=this.o.store.
now;e.save(),e.beginPath(),e.rect(P,L,this.plot,this.height-L),e.clip(),this.drawn=[],this.heads=[];let i=[this.
paintTiles(e,s),this.paintBands(e,s)].includes(!0),o=this.paintLanes(e,s);this.paintSelection(e,s.selection),o&&
this.messages&&this.paintArrows(e),e.restore(),this.paintAxis(e),this.paintNames(e),this.paintMarkers(e),this.
drag&&!this.drag.pan&&this.paintDrag(e),this.annotate(i)}annotate(e){let n=this.heads.reduce((a,c)=>Math.max(a,
c.head.exact?0:c.head.blur_ns),0),[s,i,o]=[0,0,0];for(let{place:a,bands:c}of this.drawnBands)i+=a.of.lines,s+=
c.length?Math.min(...c.map(d=>d.read)):0;for(let{head:a}of this.heads){o+=a.unsized??0;for(let c of a.rows)s+=
c.read,i+=c.threads}let l=this.failure??this.bands.failure;this.element.dataset.state=e||this.tiles.busy?"load\
ing":"ready";let r=l??(s<i?`not exact yet: ${F(s/i)} is read`:n?`not exact: means over stretches of ${x(n)}`:e&&
!i?"reading \u2026":o?`${j(o,"message")} of unknown size: receives count with the size of their buffers`:"");this.
note.textContent!==se(r)&&T(this.note,r)}failure;paintTiles(e,n){let[s,i,o,l]=this.view,r=(i-s)/this.plot,a=Math.
max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*r)))),c=1;for(;c*2*this.row<=2.01;)c*=2;let d=this.filter,
m=performance.now()+3,u=!1,f=()=>performance.now()<m||(u=!0,this.draw(),!1);this.failure=void 0,e.imageSmoothingEnabled=
!1;let[p]=this.first,b=p&&{...p,path:void 0},g=q||!b?void 0:{place:b,tile:this.tiles.tile(b,d)},M=!g||g.tile!==
void 0||n.view!==void 0,w=this.layout.runs.filter(v=>v.at<o+l&&v.at+v.n>o).map(v=>{let _=this.places(v,a,c);return{
run:v,places:_,known:_.map(k=>this.tiles.tile(k,d,M))}});this.rescale([g?.tile,...w.flatMap(v=>v.known)]);for(let{
run:v,places:_,known:k}of w){let K=L+(v.at-o)*this.row,E=v.at-v.first;if(e.save(),e.beginPath(),e.rect(P,K,this.
plot,v.n*this.row),e.clip(),g?.tile&&k.some(D=>!D?.head||D.head.rows.some(O=>O.read===0))){let D=Ke(g.tile,n.color,
this.most,f);D&&g.tile.head&&(this.see(g.tile.head,g.place),this.paintTile(e,D,g.place,g.place,E))}for(let[D,O]of _.
entries()){let Z=k[D];Z?.error&&(this.failure=Z.error),Z||(u=!0);let Q=Z&&Ke(Z,n.color,this.most,f);if(Q&&Z?.head){
this.see(Z.head,O),this.paintTile(e,Q,O,O,E);continue}let Le=this.tiles.coarser(O,d);Q=Le&&Ke(Le.tile,n.color,
this.most,f),Le&&Q&&this.paintTile(e,Q,Le.place,O,E)}if(this.row>=5){e.fillStyle=S("paper");let D=Math.min(v.n,
Math.ceil(o+l-v.at));for(let O=Math.max(1,Math.floor(o-v.at));O<=D;O++)e.fillRect(P,Math.round(K+O*this.row)-1,
this.plot,1)}e.restore()}return u}places(e,n,s){let[i,o,l,r]=this.view;if(q){let f=[...new Set(this.first.map(
b=>b.level))].sort((b,g)=>g-b),p=f.find(b=>b<=n)??f.at(-1)??n;return this.first.filter(b=>b.level===p)}let a=64*
s,c=256*2**n,d=e.first+Math.max(0,Math.floor(l-e.at)),m=e.first+Math.min(e.n,Math.ceil(l+r-e.at)),u=[];for(let f=Math.
floor(d/a)*a;f<m;f+=a){let p=Math.min(64,Math.ceil((this.grid.lines-f)/s));for(let b=Math.max(0,Math.floor(i/c));b*
c<Math.min(o,this.grid.to_ns);b++)u.push({level:n,x:b,first:f,group:s,rows:p})}return u}paintBands(e,n){let[s,
i,o,l]=this.view,r=Math.max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*(i-s)/this.plot)))),a=256*2**r,c=Te(
n.color),{function:d,comm:m,in:u}=n.selection,f={function:d,comm:m,in:u,of:c==="mpi"?void 0:c},p=n.order==="cl\
asses"&&!this.classes&&!this.failure&&!q;this.drawnBands=[];for(let b of this.layout.bands){if(b.at>o+l||b.at+
b.height<o)continue;let g=L+(b.at-o)*this.row,M=b.height*this.row,N=M>=40,w=g+(N?17:1),v={x:this.x,left:P,right:this.
width,y:w,height:g+M-2-w},_=[];for(let E=Math.max(0,Math.floor(s/a));E*a<Math.min(i,this.grid.to_ns);E++){let D=this.
bands.of(b.of,r,E,this.grid.level,f);D?_.some(O=>O.level===D.level&&O.x===D.x)||_.push(D):p=!0}e.fillStyle=S("\
raised"),e.fillRect(P,g,this.plot,M-1);for(let E of _)Rt(e,E,c,v);if(this.drawnBands.push({place:b,bands:_}),!N)
continue;e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign="left",e.textBaseline="top";let k=`${Fe(
b.of)}: ${Ce(c)}, least to greatest, median`,K=se(k.length>140?k.slice(0,139)+"\u2026":k);e.fillStyle=S("ink"),
e.fillText(K,P+6,g+3)}return p}static rates=new Map;get most(){return 2**Math.ceil(Math.log2(Math.max(1,...t.rates.
values())))}rescale(e){let n=this.most;if(t.rates.set(this,Math.max(0,...e.map(s=>s?.most??0))),this.most!==n)
for(let s of t.rates.keys())s.element.dispatchEvent(new Event("seen")),s.draw()}see(e,n){if(this.heads.push({head:e,
place:n}),me(e.value))return;let s=this.seen.size;for(let i of e.rows)i.sum_ns.forEach((o,l)=>o>0&&this.seen.add(
e.categories[l]??""));this.seen.size>s&&this.element.dispatchEvent(new Event("seen"))}paintTile(e,n,s,i,o){let l=2**
(s.level-i.level),r=256/l,a=256*2**i.level,c=this.x(i.x*a),d=L+(s.first+o-this.view[2])*this.row,m=n.height;e.
drawImage(n,(i.x-s.x*l)*r,0,r,m,c,d,this.x((i.x+1)*a)-c,m*s.group*this.row)}get rate(){return this.o.overview.
calls/this.grid.lines/Math.max(1,this.grid.to_ns-this.grid.from_ns)}near(e){let{from_ns:n,to_ns:s}=this.grid,i=Math.
min((s-n)/2,30/this.rate);this.look((n+s)/2-i,(n+s)/2+i,0,e)}paintLanes(e,n){let[s,i,o,l]=this.view;if(this.row<
12||!this.o.overview.timed||q||n.color!=="activity"||this.rate*(i-s)>1500)return!1;let r=!1;for(let a=Math.floor(
o);a<Math.ceil(o+l);a++){let c=this.at(a);if(!c)continue;let d=L+(a-o)*this.row,m=n.call,u={y:d,height:this.row-
1,x:this.x,left:P,right:this.width,functions:n.selection.function,chosen:m&&m[0]===c.world&&m[1]===c.rank&&m[2]===
c.thread?m[3]:void 0};for(let f of this.lanes.of(c,s,i))r=Ht(e,f,u,this.drawn)||r}return r}paintArrows(e){let[
n,s,i,o]=this.view,l=new Map;for(let r=Math.floor(i);r<i+o;r++){let a=this.at(r);a&&a.thread===0&&l.set(a.rank,
L+(r-i+.5)*this.row)}Ot(e,this.lanes.arrows(n,s),this.x,l,[P,this.width])}paintSelection(e,n){let{from_ns:s,to_ns:i}=this.
grid,[,,o,l]=this.view,r=S("veil"),a=pe(n.time,s,i),c=this.steps&&be(n.steps,this.steps.total),d=P,m=this.width;
if(a&&([d,m]=[this.x(this.own(a[0])),this.x(this.own(a[1]))]),c&&this.steps){let b=Math.min(this.steps.begin_ns.
length-1,Math.floor(c[0]/this.steps.stride)),g=Math.min(this.steps.begin_ns.length-1,Math.floor(c[1]/this.steps.
stride));d=Math.max(d,this.x(this.steps.begin_ns[b]??s)),m=Math.min(m,this.x((this.steps.begin_ns[g]??i)+(this.
steps.length_ns[g]??0)))}if(e.fillStyle=r,d>P&&e.fillRect(P,L,d-P,this.height),m<this.width&&e.fillRect(m,L,this.
width-m,this.height),(a||c)&&(e.fillStyle=S("accent"),e.fillRect(d-1,L,2,this.height),e.fillRect(m-1,L,2,this.
height)),!n.rank)return;e.fillStyle=r;let u=Math.max(P,d),f=Math.min(this.width,m)-u,p=Math.max(1,Math.floor(1/
this.row));for(let{place:b}of this.drawnBands)b.of.ranks&&!He(n.rank,b.of.ranks)&&e.fillRect(u,L+(b.at-o)*this.
row,f,b.height*this.row);for(let b=Math.floor(o);b<o+l;b+=p){let g=this.at(b);g&&!Se(n.rank,g.rank)&&e.fillRect(
u,L+(b-o)*this.row,f,Math.max(1,p*this.row))}}paintAxis(e){let[n,s]=this.view;e.fillStyle=S("faint"),e.strokeStyle=
S("rule"),e.lineWidth=1,e.font="11px system-ui, DejaVu Sans, sans-serif",e.textBaseline="alphabetic";let i=(s-
n)/this.plot*110,o=It(i);for(let l=Math.ceil(n/o)*o;l<=s;l+=o){let r=Math.round(this.x(l))+.5;if(r<P)continue;
e.beginPath(),e.moveTo(r,14),e.lineTo(r,18),e.stroke();let a=ae(l,o*10);r+e.measureText(a).width/2<this.width&&
(e.textAlign="center",e.fillText(a,Math.max(r,P+e.measureText(a).width/2),11))}this.paintSteps(e),e.strokeStyle=
S("rule"),e.beginPath(),e.moveTo(P,L-.5),e.lineTo(this.width,L-.5),e.stroke()}paintSteps(e){let n=this.steps;if(e.
textAlign="left",e.fillText(n?.begin_ns.length?"step":"",4,29),!n)return;let s=new Set((n.slow??[]).map(d=>Math.
floor(d.step/n.stride))),[i,o]=this.view,l=n.begin_ns.filter(d=>d>=i&&d<=o).length,r=Ft(l*n.stride*60/this.plot),
a=-1/0,c=-1/0;for(let d=0;d<n.begin_ns.length;d++){let m=Math.round(this.x(n.begin_ns[d]??0))+.5;if(m<P||m>this.
width)continue;let u=Math.ceil(d*n.stride/r)*r,f=u<(d+1)*n.stride&&m>=c;if(!f&&!s.has(d)&&m-a<4||(a=m,e.strokeStyle=
s.has(d)?S("bad"):S("rule"),e.beginPath(),e.moveTo(m,f?20:31),e.lineTo(m,L),e.stroke(),!f))continue;let p=String(
u);c=m+e.measureText(p).width+10,c<this.width&&e.fillText(p,m+2,29)}}paintNames(e){let[,,n,s]=this.view,i=Ft(13/
this.row);e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign="right",e.textBaseline="middle";let o=this.
o.store.now.selection.rank,l=-1/0;for(let{place:r}of this.drawnBands){let a=L+(r.at-n+r.height/2)*this.row;r.height*
this.row<12||a<L||a>this.height-4||(e.fillStyle=o&&He(o,r.of.ranks)?S("accent"):S("ink"),e.fillText(`${r.open?
"\u25BE":"\u25B8"} class ${r.of.class}`,P-6,a),!(r.height*this.row<56)&&(e.fillStyle=S("faint"),e.fillText("10\
0%",P-6,a-r.height*this.row/2+21),e.fillText("0%",P-6,a+r.height*this.row/2-8)))}for(let r of this.layout.runs){
let a=Math.max(0,Math.ceil((n-r.at)/i)*i);for(let c=a;c<r.n&&r.at+c<n+s;c+=i){let d=this.line(r.first+c);if(!d)
continue;let m=Math.max(L+(r.at+c-n+.5)*this.row,L+6);m>this.height-4||m<l||(l=m+12,e.fillStyle=o&&Se(o,d.rank)?
S("accent"):S("ink"),e.fillText(zt(d,i===1||c===0),P-6,m,P-8))}}}paintMarkers(e){for(let n of this.markers){let s=this.
yOfRank(n.rank),i=this.x(n.at);s===void 0||i<P||i>this.width||(e.fillStyle=S("bad"),e.strokeStyle=S("paper"),e.
beginPath(),e.moveTo(i,s),e.lineTo(i-5,s-9),e.lineTo(i+5,s-9),e.closePath(),e.fill(),e.stroke())}}at(e){let n=this.
layout.line(e);return n===void 0?void 0:this.line(n)}paintDrag(e){let n=this.drag;if(!n)return;e.strokeStyle=S(
"accent"),e.fillStyle=S("select");let s=Math.min(n.x,n.x1),i=Math.min(n.y,n.y1),o=[s,this.layout.total>1?i:L,Math.
abs(n.x1-n.x),this.layout.total>1?Math.abs(n.y1-n.y):this.height];e.fillRect(...o),e.strokeRect(...o)}line(e){
let n=this.order;n!==this.linesOrder&&(this.linesOrder=n,this.lines=new Map);let s=Math.floor(e/ge)*ge,i=this.
lines,o=i.get(s);if(o===void 0&&(i.set(s,null),B("lines",{rec:this.o.rec||void 0,order:n,first:s,count:ge}).then(
l=>{i.set(s,l),this.draw()},()=>{})),o)return o.lines[e-s];for(let{head:l,place:r}of this.heads){if(r.group!==
1)continue;let a=l.rows[e-r.first];if(a)return{rank:a.rank,world:a.world,thread:a.thread,host:"",class:0,calls:0}}}yOfRank(e){
let[,,n,s]=this.view;for(let o=Math.floor(n);o<n+s;o++){let l=this.at(o);if(l?.rank===e&&l.thread===0)return L+
(o-n+.5)*this.row}let i=this.drawnBands.find(({place:o})=>o.of.ranks&&Se(o.of.ranks,e));return i&&L+(i.place.at-
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
n,s),o=this.steps&&be(e.steps,this.steps.total);if(o&&this.steps){let c=Math.floor(o[0]/this.steps.stride),d=Math.
min(this.steps.begin_ns.length-1,Math.floor(o[1]/this.steps.stride));i??=[this.steps.begin_ns[c]??n,(this.steps.
begin_ns[d]??s)+(this.steps.length_ns[d]??0)]}let[l,r]=i??[n,s],a=i?(r-l)*.03:0;this.look(l-a,r+a,this.view[2],
this.view[3],!1)}async released(e,n){let s=this.o.store;if(Math.abs(e.x1-e.x)<4&&Math.abs(e.y1-e.y)<4){let c=this.
markers.find(p=>Math.abs(this.x(p.at)-e.x)<6&&Math.abs((this.yOfRank(p.rank)??-99)-5-e.y)<9);if(c)return c.choose();
let d=this.layout.band(this.lineAt(e.y));if(d&&e.y>=L)return this.chooseBand(d,e.x<P);let m=this.at(Math.floor(
this.lineAt(e.y))),u=this.hit(e.x,e.y);if(u?.call){let p=u.line;return s.set({call:[p.world,p.rank,p.thread,u.
call.index],panel:"call"})}if(u?.loop?.step&&u.loop.iteration===u.loop.last_iteration)return s.select({steps:String(
u.loop.iteration),time:""});if(!m||e.y<L)return;let f=s.now.selection.rank;return n&&f?s.select({rank:Se(f,m.rank)?
Oe(this.ranksIn(f).filter(p=>p!==m.rank)):Oe([...this.ranksIn(f),m.rank])}):s.select({rank:f===String(m.rank)?
"":String(m.rank)})}let i=qe(this.shared(this.timeAt(Math.max(P,Math.min(e.x,e.x1)))),this.shared(this.timeAt(
Math.max(e.x,e.x1)))),o=Math.max(0,Math.floor(this.lineAt(Math.min(e.y,e.y1)))),{total:l}=this.layout,r=Math.min(
l-1,Math.floor(this.lineAt(Math.max(e.y,e.y1)))),a=o<=0&&r>=l-1||Math.abs(e.y1-e.y)<4||e.y<L;s.select({time:i,
steps:"",rank:a?s.now.selection.rank??"":await this.ranksOf(o,r)})}ranksIn(e){return e?e.split(",").flatMap(n=>{
let[s=0,i=s]=n.split("-").map(Number);return Array.from({length:i-s+1},(o,l)=>s+l)}):[]}unfold(){let e=this.o.
store,{order:n,open:s,selection:i,view:o}=e.now;if(n!=="classes")return e.set({order:"classes",view:lt(o)});let l=this.
layout.bands.filter(c=>!i.rank||He(i.rank,c.of.ranks)),r=ke(s),a=l.every(c=>c.open);for(let{of:c}of l)a?r.delete(
c.class):r.add(c.class);e.set({open:[...r].sort((c,d)=>c-d).join(","),view:lt(o)})}chooseBand(e,n){let s=this.
o.store;if(n)return ct(s,e.of.class);e.of.ranks&&s.select({rank:s.now.selection.rank===e.of.ranks?"":e.of.ranks})}async ranksOf(e,n){
let s=this.layout.bands.filter(i=>i.at<=n&&i.at+i.height>e).flatMap(i=>this.ranksIn(i.of.ranks));for(let i of this.
layout.runs){let o=i.first+Math.max(0,e-i.at),l=i.first+Math.min(i.n-1,n-i.at);for(let r=Math.floor(o/ge)*ge;r<=
l;r+=ge)(await B("lines",{rec:this.o.rec||void 0,order:this.order,first:r,count:ge})).lines.forEach((c,d)=>{r+
d>=o&&r+d<=l&&c.rank>=0&&s.push(c.rank)})}return Oe(s)}point(){let e=this.pointer;if(!e||e.x<P||e.y<L){this.tip.
hidden=!0;return}let n=this.timeAt(e.x),s=this.lineAt(e.y),i=this.layout.line(s),[o,l]=this.view,r=this.hit(e.
x,e.y),a=[],c=i===void 0?void 0:this.line(i);if(i===void 0)a.push(...this.aboutBand(s,n));else if(r?.call)a.push(
...es(r,r.call));else if(r?.loop){let f=r.loop;a.push(h("b",{},`${f.step?"step":"iteration"} ${f.iteration}${f.
last_iteration>f.iteration?"-"+f.last_iteration:""} of ${f.of}`),h("div",{},f.name),h("div",{},x(f.end_ns-f.start_ns)))}else
r?.region?a.push(h("b",{},"region "+r.region)):a.push(...this.aboutCell(i,n));let d=this.markers.find(f=>Math.
abs(this.x(f.at)-e.x)<6&&Math.abs((this.yOfRank(f.rank)??-99)-5-e.y)<9);if(d&&a.unshift(h("b",{class:"bad"},d.
text)),!a.length){this.tip.hidden=!0;return}T(this.tip,h("div",{class:"where"},`${c?zt(c,!0):""}  at ${ae(n,l-
o)}`),...a),this.tip.hidden=!1;let m=this.tip.offsetWidth,u=this.tip.offsetHeight;this.tip.style.left=(e.x+16+
m>this.width?Math.max(0,e.x-m-12):e.x+16)+"px",this.tip.style.top=Math.max(0,Math.min(e.y+14,this.height-u-4))+
"px"}aboutBand(e,n){let s=this.drawnBands.find(o=>e>=o.place.at&&e<o.place.at+o.place.height);if(!s)return[];let i=Te(
this.o.store.now.color);for(let o of s.bands){let l=o.shares.length/3,r=Math.floor(n/2**o.level)-o.x*l;if(r<0||
r>=l)continue;let[a,c,d]=[0,1,2].map(m=>F((o.shares[m*l+r]??0)/255));return[h("b",{},Fe(s.place.of)),h("div",{},
`${Ce(i)}, in ${x(2**o.level)}:`),h("div",{},`least ${a}, median ${c}, greatest ${d}`),...o.read<o.lines?[h("d\
iv",{},`of ${y(o.read)} of ${j(o.lines,"thread")} so far`)]:[]]}return[h("b",{},Fe(s.place.of)),h("div",{},"no\
t read yet")]}aboutCell(e,n){for(let{head:s,place:i}of this.heads){let o=Math.floor((e-i.first)/i.group),l=Math.
floor(n/2**i.level)-i.x*256,r=s.rows[o];if(!r||l<0||l>255||e<i.first)continue;let a=this.tiles.tile(i,this.filter,
!1),c=s.categories.length;if(a?.values)return Zn(s,r,a.values.subarray((o*256+l)*c,(o*256+l+1)*c));let d=a?.cells;
if(!d)continue;let m=s.categories.map((f,p)=>[d[(o*256+l)*c+p]??0,f]).filter(([f])=>f>0).sort((f,p)=>p[0]-f[0]),
u=r.threads>1?h("div",{},`mean of ${Kt(r)}`):null;return r.read===0?[h("div",{},"not read yet")]:[...u?[u]:[],
h("div",{},`mean of ${x(2**i.level)}`),...m.length?m.map(([f,p])=>h("div",{},`${F(f/255)} ${U.find(b=>b.key===
p)?.name??p}`)):[h("div",{},"nothing is known")]]}return[]}bandsDrawn(){let e=this.canvas.getBoundingClientRect();
return this.drawnBands.map(({place:n,bands:s})=>({x:e.x+P/2,y:e.y+L+(n.at-this.view[2]+n.height/2)*this.row,class:n.
of.class,read:s.length?Math.min(...s.map(i=>i.read)):0,lines:n.of.lines,open:n.open}))}callsDrawn(){let e=this.
canvas.getBoundingClientRect();return this.drawn.flatMap(n=>n.call?[{x:e.x+n.x+n.width/2,y:e.y+n.y+n.height/2,
width:n.width,func:n.call.func,index:n.call.index,rank:n.line.rank}]:[])}};function It(t){let e=10**Math.floor(
Math.log10(t));return[1,2,5,10].map(n=>n*e).find(n=>n>=t)??t}function Ft(t){return It(Math.max(1,t))}function ct(t,e){
let n=ke(t.now.open);n.delete(e)||n.add(e),t.set({order:"classes",open:[...n].sort((s,i)=>s-i).join(","),view:lt(
t.now.view)})}function lt(t){return t&&[t[0],t[1],0,1e9]}function zt(t,e){let n=(t.world?`w${t.world}:`:"")+(t.
rank<0?"?":t.rank);if(t.queue)return`${n} ${se(t.queue)}`;let s=n+(t.thread?"."+t.thread:"");return e&&!t.world&&
!t.thread?"rank "+s:s}function Kt(t){return`${j(t.threads,"thread")}: ranks ${t.rank} to ${t.last_rank}`}function Zn(t,e,n){
if(e.read===0)return[h("div",{},"not read yet")];let s=t.value.replace("_"," "),i=l=>t.value.startsWith("bytes")?
R(l):y(l),o=t.categories.flatMap((l,r)=>n[r]?[h("div",{},`${i(n[r]??0)} ${Qn[l]??l}`)]:[]);return[h("b",{},s),
...e.threads>1?[h("div",{},`sum of ${Kt(e)}`)]:[],h("div",{},`in ${x(2**t.level)}`),...o.length?o:[h("div",{},
"nothing")]]}var Qn={p2p:"point to point",collective:"collective",rma:"one-sided",io:"files"};function es(t,e){
let{site:n,kernel:s}=t;return[h("b",{},s?.short??e.func),h("div",{},`${x(e.end_ns-e.start_ns)}${e.unfinished?"\
, did not return":""}, call ${e.index}`),...n?[h("div",{class:"site"},n)]:[]]}function We(t){return t===null?"not known or not significant":Array.isArray(t)?"["+t.map(We).join(", ")+"]":typeof t==
"object"?"{"+Object.entries(t).map(([e,n])=>`${e}: ${We(n)}`).join(", ")+"}":String(t)}var qt={id:"call",title:"\
Call",command:t=>t.call?["dump","--rank",String(t.call[1]),"--from",String(t.call[3]),"--limit","1"]:["dump"],
key:t=>String(t.call),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now.call;if(!i)return[h("p",{class:"empty"},
"Click a call in the map (zoom in until calls are drawn one by one), or choose one in a table.")];let[o,l,r]=i,
a={world:o||void 0,rank:l,thread:r||void 0},c=i[3];c<0&&(c+=(await C("calls",{...a,from:0,limit:1},n,s)).total);
let d=await C("calls",{...a,from:c,limit:1},n,s),m=d.calls[0];if(!m)return[h("p",{class:"empty"},`Rank ${l} ma\
de ${y(d.total)} calls: there is no call ${c}.`)];let u=d.kernels?.[m.index],f=m.flags?.includes("unfinished"),
p=m.start_ns,b=m.end_ns??p,g=v=>t.store.set({call:[o,l,r,v]}),M=()=>{if(p===void 0||b===void 0)return;let v=Math.
max(b-p,500);t.look(p-v,b+v,l)},N=h("div",{class:"controls"},h("b",{},u?.short??m.func),`rank ${o?`w${o}:`:""}${l}${d.
queue?", "+d.queue:r?", thread "+r:""}, call ${y(m.index)} of ${y(d.total)}`,h("button",{type:"button",disabled:c<=
0,click:()=>g(c-1)},"\u2190 previous"),h("button",{type:"button",disabled:c+1>=d.total,click:()=>g(c+1)},"next\
 \u2192"),h("button",{type:"button",disabled:p===void 0,click:M},"zoom to it"),h("button",{type:"button",click:()=>t.
store.select({function:m.func})},"select the function")),w=h("dl",{class:"call"});return p!==void 0&&b!==void 0&&
ts(t,w,l,p,Math.max(b,p+1),m,n),[N,h("div",{class:"columns"},Ut([["call",m.func+(m.flags?.length?` (${m.flags.
join(", ")})`:"")],...u?[["its kernel",u.name]]:[],...Object.entries(m.in).map(([v,_])=>[v,We(_)]),...Object.entries(
m.out).map(([v,_])=>["\u2192 "+v,We(_)]),["returned",f?"no":m.error??String(m.ret)]]),Ut([["begin",p===void 0?
"not recorded":`${(p/1e9).toFixed(9)} s`],["duration",f||m.end_ns===void 0?"did not return":x(m.end_ns-(p??0))],
["call site",le(m.site?.slice(0,1))||"unknown"],...(m.site??[]).slice(1).map(v=>["called from",le([v])])]),h("\
div",{},h("h3",{},"Messages of this call"),w))]})}};function Ut(t){return h("dl",{class:"call"},...t.flatMap(([
e,n])=>[h("dt",{},e),h("dd",{},n)]))}async function ts(t,e,n,s,i,o,l){let r=[];try{let a=await C("arrows",{t0:Math.
floor(s),t1:Math.ceil(i),max:5e3},l,()=>{});for(let c of a.arrows??[]){let d=c.from===n&&c.send===o.index,m=c.
to===n&&c.receive===o.index;if(!d&&!m)continue;let u=d?c.to:c.from;if(r.push(h("dt",{},d?"to":"from"),h("dd",{},
h("button",{type:"button",click:()=>t.call(0,u,0,d?c.receive:c.send)},`rank ${u}, call ${y(d?c.receive:c.send)}`),
` ${c.bytes>=0?R(c.bytes):"size unknown"}, tag ${c.tag}`,c.wait_ns>0&&h("span",{class:"bad"},m?`; waited ${x(c.
wait_ns)} for rank ${c.from}, which came late`:`; rank ${c.to} waited ${x(c.wait_ns)} for this`))),r.length>40)
break}}catch{}e.replaceChildren(...r.length?r:[h("dd",{},"none are known")])}var ns=[["sizes","sizes of messages"],["durations","durations of calls"]],Vt={id:"histogram",title:"Histogram",
command:t=>["histogram",...t.detail==="durations"?["--durations"]:[]],key:t=>X(t)+(t.panel==="histogram"?t.detail:
""),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,o=i.detail==="durations"?"durations":"sizes",l=h("div",{class:"\
controls"},W("show ",ns,o,a=>t.store.set({detail:a==="sizes"?"":a}))),r=[];if(o==="sizes"){let a=await C("hist\
ogram",z(i),n,s);for(let c of a.histograms)c.messages&&r.push(h("div",{},h("h3",{},`${c.kind==="p2p"?"point to\
 point":c.kind}: ${y(c.messages)} messages, ${R(c.bytes)}`),Wt(c.bins.map(d=>({label:d.from===d.to?R(d.from):`${R(
d.from)} to ${R(d.to)}`,value:d.messages,text:`${y(d.messages)} messages, ${R(d.bytes)}`})))))}else{let a=await C(
"report",z(i),n,s);for(let c of[...a.calls??[]].sort((d,m)=>m.mpi.sum_ns-d.mpi.sum_ns).slice(0,6))r.push(h("di\
v",{},h("h3",{title:c.site},`${c.func} @ ${c.site.split(" < ")[0]}: median ${x(c.durations.p50_ns)}`),Wt(ss(c.
durations.bins??[]).map(d=>({label:`${x(d.from_ns)} to ${x(d.to_ns)}`,value:d.count,text:`${y(d.count)} calls`})))))}
return[l,r.length?h("div",{class:"columns"},...r):h("p",{class:"empty"},"There is nothing of this kind in the \
selection.")]})}};function ss(t){let e=new Map;for(let n of t){let s=Math.floor(Math.log2(Math.max(1,n.from_ns))),
i=e.get(s);i?i.count+=n.count:e.set(s,{from_ns:2**s,to_ns:2**(s+1),count:n.count})}return[...e.values()]}function Wt(t){
let e=Math.max(1,...t.map(l=>l.value)),n=150,s=110,i=ye("svg",{width:n+s+170,height:t.length*18+4,role:"list"});
t.forEach((l,r)=>{let a=r*18;i.append(ye("g",{role:"listitem","aria-label":`${l.label}: ${l.text}`},ye("text",
{x:n-6,y:a+13,"text-anchor":"end"},l.label),ye("rect",{class:"value",x:n,y:a+3,width:Math.max(1,l.value/e*s),height:13}),
ye("text",{x:n+l.value/e*s+5,y:a+13},l.text)))});let o=h("div",{class:"chart"});return o.append(i),o}var is=20,Ve="functions:",Xt="";function ut(t,e=!1){return{name:t,value:0,calls:0,call:e,children:new Map}}function Jt(t,e,n=!1){
let s=t.children.get(e);return s||t.children.set(e,s=ut(e,n)),s}function os(t,e){let n=ut(e?"time in calls":"c\
alls");for(let s of t.rows){let i=e?s.times?.total_ns??0:s.calls,o=[...s.site??[]].reverse().map(r=>r.func||(r.
file??"?").replace(/^.*\//,"")+(r.offset?"+0x"+r.offset.toString(16):"")),l=n;l.value+=i,l.calls+=s.calls;for(let r of[
...o,s.func??""])l=Jt(l,r,r===s.func&&r!==""),l.value+=i,l.calls+=s.calls}return n}function rs(t){let e=ut(t.timed?
"time in functions":"calls of functions"),n=[e];for(let s of t.places){n.length=s.depth+1;let i=Jt(n[s.depth]??
e,s.name),o=t.timed?s.own_ns:s.calls;for(let l of n)l.value+=o;i.value+=o,i.calls+=s.calls,n.push(i)}return e.
calls=t.places.reduce((s,i)=>s+i.calls,0),e}var Yt={id:"icicle",title:"Icicle",command:t=>t.detail.startsWith(
Ve)?["functions","--tree"]:["profile","--by","site"],key:t=>X(t)+(t.panel==="icicle"?t.detail:""),show:(t,e)=>{
A(e,async(n,s)=>{let i=t.store.now,o=i.detail.startsWith(Ve),l=o?Ve:"",r=t.overview.kinds.includes("functions")?
h("div",{class:"controls"},W("of ",[["","call sites"],[Ve,"functions"]],l,w=>t.store.set({detail:w}))):null,a,
c,d="";if(o){let w=await C("functions",{rank:i.selection.rank},n,s);c=w.timed,a=rs(w),w.complete||(d=" Not all\
 functions are shown: tabard functions --tree prints the rest."),Object.keys(i.selection).some(v=>v!=="rank")&&
(d+=" Of the selection only ranks count here: functions are of the whole run.")}else{let w=await C("profile",{
...z(i),by:"site"},n,s);c=w.time_ns!==void 0,a=os(w,c)}if(!a.value)return[...r?[r]:[],h("p",{class:"empty"},"T\
here is nothing of this kind in the selection.")];let m=i.detail.slice(l.length).split(Xt).filter(Boolean),u=a;
for(let w of m)u=u.children.get(w)??u;let f=h("div",{class:"icicle",role:"tree","aria-label":"Functions by "+(c?
"time":"calls")}),p=Math.max(400,e.clientWidth-40),b=w=>`${w.name}: ${c?x(w.value):""} ${F(w.value/a.value)}, ${y(
w.calls)} calls`,g=0,M=(w,v,_,k)=>{let K=w.value/u.value*p;if(K<1.5||g++>3e3)return;let E=h("button",{type:"bu\
tton",role:"treeitem",title:b(w),"aria-label":b(w),click:()=>{w.call?t.store.select({function:w.name}):t.store.
set({detail:l+(w===u?k.slice(0,-1):k).join(Xt)})}},K>30?w.name:"");E.style.left=v+"px",E.style.top=_*is+"px",E.
style.width=Math.max(1,K-1)+"px",E.style.background=w.call?oe(Y(3)):oe(Y(U.findIndex(O=>O.key==="lifecycle"))),
w.call?E.style.color="#111820":E.style.color="inherit",f.append(E);let D=v;for(let O of[...w.children.values()].
sort((Z,Q)=>Q.value-Z.value))M(O,D,_+1,[...k,O.name]),D+=O.value/u.value*p};M(u,0,0,m);let N=o?c?"their time":
"the number of calls":c?"time in calls":"the number of calls";return[...r?[r]:[],h("p",{class:"empty"},`As wid\
e as ${N} of all selected ranks${o?"":"; orange: calls"}. A click unfolds, on the uppermost goes back.`+d),f]})}};var Zt={id:"loops",title:"Loops",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.selection.function,
t.selection.step_loop,t.panel==="loops"?t.detail:""]),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,o=await C(
"loops",{rank:i.selection.rank,function:i.selection.function,step_loop:i.selection.step_loop},n,s),l=Math.max(
0,Math.min(o.classes.length-1,Number(i.detail)||0)),r=o.classes[l];if(!r)return[h("p",{class:"empty"},"No call\
s are selected.")];let a=h("div",{},h("p",{class:"empty"},"A loop, or all of a rank, as C: choose \u2018as C\u2019.")),
c=h("div",{class:"tree"},Qt(r.body,r.blocks??[],0,t,d=>{Gt(a,r.blocks??[],d)}));return[h("div",{class:"control\
s"},W("ranks that do the same ",o.classes.map((d,m)=>[String(m),`${d.ranks||"?"}${d.thread?", thread "+d.thread:
""} (${y(d.calls)} calls)`]),String(l),d=>t.store.set({detail:d==="0"?"":d})),h("span",{},`${y(o.classes.length)}\
 ${o.classes.length===1?"class":"classes"}`),h("button",{type:"button",click:()=>{Gt(a,r.blocks??[])}},"all of\
 it as C")),h("div",{class:"columns"},c,a)]})}};function as(t){let e=t.site?.[0],n=le(e?[e]:[]);return e?.last_line&&
e.last_line!==e.line?n.replace(/:(\d+)/,`:$1-${e.last_line}`):n}function Qt(t,e,n,s,i){let o=h("ul",{role:n?"g\
roup":"tree"});for(let l of t){let r=l.body??(l.block!==void 0?e[l.block]:void 0),a=l.min===l.max?y(l.min):`${y(
l.min)} to ${y(l.max)}`,c=h("li",{role:"treeitem"}),d=l.share_of_time!==void 0?F(l.share_of_time)+" of time":F(
l.share_of_calls)+" of calls",m=l.kind==="call"?`${a==="1"?"":a+" \xD7 "}${l.func}`:l.kind==="loop"?`loop, ${a}\
 times`:l.kind==="mixed"?"calls in no regular order":"block",u=(l.params??[]).filter(p=>/^(dest|source|count|sendcount|tag|root|comm)$/.
test(p.name)).map(p=>`${p.name} ${p.relation?"= "+p.relation:p.values.join(", ")+(p.more?", \u2026":"")}`).join(
"; "),f=h("span",{class:"node"+(l.time_step?" step":"")},l.kind==="call"?h("button",{type:"button",class:"text",
click:()=>s.store.select({function:l.func??""})},m):h("span",{},m),l.time_step&&h("span",{class:"bad"},"time s\
tep"),h("span",{class:"count"},d),h("span",{class:"params"},u),h("span",{class:"params",title:le(l.site)},as(l)),
l.kind==="loop"&&h("button",{type:"button",click:()=>i(l)},"as C"));if(r?.length&&n<40){let p,b=n<3,g=h("butto\
n",{type:"button",class:"toggle","aria-expanded":b?"true":"false","aria-label":"unfold "+m},b?"\u25BE":"\u25B8"),
M=N=>{g.setAttribute("aria-expanded",String(N)),T(g,N?"\u25BE":"\u25B8"),p?.remove(),p=void 0,N&&c.append(p=Qt(
r,e,n+1,s,i))};g.addEventListener("click",()=>M(!p)),c.append(g,f),b&&M(!0)}else c.append(h("span",{class:"tog\
gle"}),f);o.append(c)}return o}function en(t,e,n=0){if(t.func||n>40)return t.func;for(let s of t.body??(t.block!==
void 0?e[t.block]??[]:[])){let i=en(s,e,n+1);if(i)return i}}async function Gt(t,e,n){T(t,h("p",{class:"pending"},
"writing C \u2026"));try{let s=n?.site?.[0],i=await B("code",{times:n?.max,call:n?en(n,e):void 0}),o=i.text.split(
`
`),l=o.length>5e3?o.slice(0,5e3).join(`
`)+`
/* ${o.length-5e3} more lines: tabard proxy writes all */`:i.text;T(t,h("h3",{},`${i.title||(s?le([s]):"")} (${y(
i.lines)} lines)`),h("pre",{class:"code",tabindex:0}));let r=t.querySelector("pre");r&&(r.textContent=l.replace(
/[^\S\n\t ]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,"\uFFFD"));
for(let a of i.notes??[])t.append(h("p",{class:"empty"},a))}catch(s){T(t,h("p",{class:"failed"},ue(s)))}}var we=24;function H(t){if(!t.rows.length)return h("p",{class:"empty"},t.empty??"There is nothing of this kind\
 in the selection.");let e=t.rows,n=t.sort??-1,s=!1,i=Math.max(0,t.chosen?e.findIndex(t.chosen):0),o=h("tbody"),
l=h("tr",{"aria-rowindex":1}),r=h("table",{role:"grid","aria-label":t.label,"aria-rowcount":e.length+1},h("the\
ad",{},l),o),a=h("div",{class:"scroll",tabindex:-1},r);function c(){let g=t.columns[n]?.by;e=g?[...t.rows].sort(
(M,N)=>{let w=g(M),v=g(N);return(w<v?-1:w>v?1:0)*(s?1:-1)}):t.rows}function d(){T(l,...t.columns.map((g,M)=>h(
"th",{scope:"col",class:(g.number?"number":"")+(g.wide?" wide":""),title:g.help,"aria-sort":n===M?s?"ascending":
"descending":void 0},g.by?h("button",{type:"button",click:()=>{s=n===M?!s:!g.number,n=M,c(),d(),i=0,u()}},g.title+
(n===M?s?" \u25B4":" \u25BE":"")):g.title)))}function m(g){let M=h("tr",{"aria-hidden":"true"},h("td",{colspan:t.
columns.length,class:"spacer"}));return M.firstChild.style.height=g*we+"px",M}function u(g=!1){let M=Math.max(
0,Math.floor(a.scrollTop/we)-10),N=Math.min(e.length,M+Math.ceil((a.clientHeight||600)/we)+20),w=[];M>0&&w.push(
m(M));for(let v=M;v<N;v++){let _=e[v],k=h("tr",{"aria-rowindex":v+2,tabindex:v===i?0:-1,"data-row":v,"aria-sel\
ected":t.chosen?.(_)?"true":void 0},...t.columns.map(K=>h("td",{class:(K.number?"number":"")+(K.wide?" wide":"")},
K.cell(_))));w.push(k),g&&v===i&&queueMicrotask(()=>k.focus({preventScroll:!0}))}N<e.length&&w.push(m(e.length-
N)),o.replaceChildren(...w)}function f(g){i=Math.max(0,Math.min(e.length-1,g));let M=i*we;M<a.scrollTop?a.scrollTop=
M:M+2*we>a.scrollTop+a.clientHeight&&(a.scrollTop=M+2*we-a.clientHeight),u(!0)}function p(g){let M=e[g];M===void 0||
!t.choose||(i=g,t.choose(M))}r.addEventListener("click",g=>{let M=g.target.closest("tr[data-row]");M&&!g.target.
closest("button, a")&&p(Number(M.dataset.row))}),r.addEventListener("keydown",g=>{if(!g.target.closest("tbody"))
return;let M=Math.max(1,Math.floor(a.clientHeight/we)-2),N={ArrowDown:i+1,ArrowUp:i-1,PageDown:i+M,PageUp:i-M,
Home:0,End:e.length-1}[g.key];if(N!==void 0)f(N);else if(g.key==="Enter"||g.key===" ")p(i);else return;g.preventDefault(),
g.stopPropagation()});let b=!1;return a.addEventListener("scroll",()=>{b||(b=!0,requestAnimationFrame(()=>{b=!1,
u(o.contains(document.activeElement))}))}),t.choose&&r.classList.add("choosable"),c(),d(),requestAnimationFrame(
()=>u()),u(),a}function V(t,e,n="bar"){let s=h("span",{class:"fill "+n,"aria-hidden":"true"});return s.style.width=
Math.max(0,Math.min(100,t*100))+"%",h("span",{class:"bar"},s,h("span",{class:"value"},e))}var tn=[["p2p","point to point"],["collective","collectives"],["rma","one-sided"],["all","all"]],nn=[["bytes",
"bytes"],["messages","messages"]];function dt(t){let[e="",n=""]=t.split(",");return[tn.some(([s])=>s===e)?e:"p\
2p",nn.some(([s])=>s===n)?n:"bytes"]}var sn={id:"matrix",title:"Matrix",command:t=>["matrix","--kind",dt(t.detail)[0]],
key:t=>JSON.stringify([t.selection,dt(t.detail)]),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,[o,l]=dt(i.detail),
r=await C("matrix",{...z(i),kind:o,bins:64},n,s),a=k=>r.columns.indexOf(k),[c,d,m,u]=[a("from"),a("to"),a("mes\
sages"),a("bytes")],f=r.cells??[],p=r.bins||r.processes,b=r.processes/p,g=k=>r.bins&&b>1?`${Math.ceil(k*b)}-${Math.
ceil((k+1)*b)-1}`:String(k),M=l==="bytes"?u:m,N=k=>l==="bytes"?R(k):l==="messages"?y(k):x(k),w=k=>{let K=[...new Set(
[k[c]??0,k[d]??0])].sort((E,D)=>E-D).map(g).join(",");t.store.select({rank:K})},v=ls(f,p,c,d,M,k=>k?`${g(k[c]??
0)} to ${g(k[d]??0)}: ${y(k[m]??0)} messages, ${R(k[u]??0)}`:"",w,N,Math.max(120,e.clientHeight-96)),_=r.totals[o];
return[h("div",{class:"controls"},W("messages ",tn,o,k=>t.store.set({detail:`${k},${l}`})),W("colour ",nn,l,k=>t.
store.set({detail:`${o},${k}`})),_&&h("span",{},`${y(_.messages)} messages, ${R(_.bytes)}`+(_.nowhere?`; ${y(_.
nowhere)} to unknown partners`:"")),r.missing>0&&h("span",{class:"bad"},`${y(r.missing)} ranks are not selecte\
d or not recorded: what they send is not known`)),h("div",{class:"columns"},f.length?v:h("p",{class:"empty"},"\
No such messages in the selection."),h("div",{},H({label:"Messages by pairs of ranks",rows:f,sort:l==="bytes"?
3:2,choose:w,columns:[{title:r.bins&&b>1?"senders":"sender",number:!0,by:k=>k[c]??0,cell:k=>g(k[c]??0)},{title:r.
bins&&b>1?"receivers":"receiver",number:!0,by:k=>k[d]??0,cell:k=>g(k[d]??0)},{title:"messages",number:!0,by:k=>k[m]??
0,cell:k=>y(k[m]??0)},{title:"bytes",number:!0,by:k=>k[u]??0,cell:k=>R(k[u]??0)},{title:"mean size",number:!0,
by:k=>(k[u]??0)/(k[m]||1),cell:k=>R((k[u]??0)/(k[m]||1))}]})))]})}};function ls(t,e,n,s,i,o,l,r,a){let c=Math.
max(e,1),d=h("canvas",{width:c,height:c,role:"img","aria-label":"Senders from top to bottom, receivers from le\
ft to right. The table beside it has the same as text."}),m=Math.max(1,...t.map(v=>v[i]??0)),u=Math.min(...t.map(
v=>v[i]||1/0)),f=d.getContext("2d"),p=new Map;if(f){let v=f.createImageData(c,c);for(let _ of t){let[k,K,E]=[_[n]??
0,_[s]??0,_[i]??0];if(p.set(k*c+K,_),!E)continue;let D=m>u?Math.log(E/u)/Math.log(m/u):1,O=3*Math.round(255*Math.
max(0,Math.min(1,.06+.94*D)));v.data.set([I[O]??0,I[O+1]??0,I[O+2]??0,255],4*(k*c+K))}f.putImageData(v,0,0)}let b=h(
"p",{class:"under","aria-hidden":"true"},"rows send, columns receive"),g=Math.max(1,Math.min(28,Math.floor(a/c)));
d.style.width=g*c+"px",d.style.height=g*c+"px";let M=v=>p.get(Math.floor(v.offsetY/g)*c+Math.floor(v.offsetX/g));
d.addEventListener("pointermove",v=>T(b,o(M(v))||"rows send, columns receive")),d.addEventListener("click",v=>{
let _=M(v);_&&l(_)});let N=h("canvas",{class:"ramp",width:256,height:1,"aria-hidden":"true"}),w=N.getContext("\
2d");if(w){let v=w.createImageData(256,1);for(let _=0;_<256;_++)v.data.set([I[3*_]??0,I[3*_+1]??0,I[3*_+2]??0,
255],4*_);w.putImageData(v,0,0)}return h("div",{class:"narrow"},h("div",{class:"picture"},d),b,h("div",{class:"\
legend"},h("span",{class:"key"},Number.isFinite(u)?r(u):"",N,r(m))))}var te=78,G=74,ve=18,rn={id:"memory",title:"Memory",key:X,show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,{from_ns:o,
to_ns:l}=t.overview.grid??{from_ns:0,to_ns:1},r=pe(i.selection.time,o,l),a=r&&{t0:Math.max(0,Math.floor(r[0])),
t1:Math.ceil(r[1])},c=await C("inflight",{...z(i,["time"]),...a},n,s),d=c.rows.reduce((p,b)=>p+b.requests,0);if(!d)
return[h("p",{class:"empty"},"No request is in flight in the selection.")];let m=c.rows.reduce((p,b)=>p+b.unsized,
0),u=c.rows.reduce((p,b)=>p+b.open,0),f=c.rows.reduce((p,b)=>b.most_bytes>p.most_bytes?b:p);return[h("p",{class:"\
empty"},`Buffers of ${j(d,"request")}, from the call that begins an operation to the one that completes it. `+
(f.most_rank<0?"None of them binds anything in this time. ":`Most of one process: ${R(f.most_bytes)}, rank ${f.
most_rank} at ${ae(f.most_ns,c.to_ns-c.from_ns)}. `)+(u?`${j(u,"request")} never completed. `:"")+(m?`Not coun\
ted: ${j(m,"request")} of unknown size.`:"")),h("div",{class:"columns"},cs(t,c,Math.max(420,e.clientWidth/2-30)),
hs(t,c))]})}};function cs(t,e,n){let s=G+ve+Math.max(40,Math.min(140,e.rows.length*14)),i=h("canvas",{class:"i\
nflight",role:"img","aria-label":"Bytes in flight over time: above the sum of all ranks, below the most of a s\
ingle one in each row of ranks. The table beside it has the greatest ones. A click selects the time."}),o=devicePixelRatio||
1;i.width=Math.round(n*o),i.height=Math.round(s*o),i.style.width=n+"px",i.style.height=s+"px";let l=i.getContext(
"2d"),r=e.rows[0]?.mean_bytes.length??0,a=Array.from({length:r},(m,u)=>e.rows.reduce((f,p)=>f+(p.mean_bytes[u]??
0),0)),c=Math.max(1,...e.rows.map(m=>m.most_bytes));l&&(l.scale(o,o),us(l,e,a,n),ds(l,e,c,n,s));let d=m=>Math.
max(0,Math.min(r-1,Math.floor((m-te)/(n-te)*r)));return i.addEventListener("pointermove",m=>{let u=d(m.offsetX),
f=e.from_ns+u*e.bin_ns,p=e.rows[Math.floor((m.offsetY-G-ve)/(s-G-ve)*e.rows.length)];i.title=`${ae(f,e.to_ns-e.
from_ns)}, mean of ${x(e.bin_ns)}: ${R(a[u]??0)} of all`+(p?`; most of one of ${ms(p)}: ${R(p.peak_bytes[u]??0)}`:
"")}),i.addEventListener("click",m=>{let u=e.from_ns+d(m.offsetX)*e.bin_ns;t.store.select({time:qe(u,Math.min(
e.to_ns,u+e.bin_ns)),steps:""})}),h("div",{class:"chart"},i)}function us(t,e,n,s){let i=Math.max(1,...n),o=(s-
te)/n.length;t.fillStyle=S("step"),n.forEach((l,r)=>{let a=l/i*(G-10);t.fillRect(te+r*o,G-a,Math.max(o,.6),a)}),
t.fillStyle=S("faint"),t.strokeStyle=S("rule"),t.font="11px system-ui, DejaVu Sans, sans-serif",t.textAlign="r\
ight",t.textBaseline="middle",t.fillText(R(Math.max(0,...n)),te-6,10),t.fillText("all",te-6,G-8),t.fillText(ae(
e.to_ns,e.to_ns-e.from_ns),s,G+ve/2),t.textAlign="left",t.fillText(ae(e.from_ns,e.to_ns-e.from_ns),te,G+ve/2),
t.beginPath(),t.moveTo(te,G+.5),t.lineTo(s,G+.5),t.stroke()}function ds(t,e,n,s,i){let o=(i-G-ve)/e.rows.length,
l=0;e.rows.forEach((r,a)=>{let c=G+ve+a*o,d=(s-te)/r.peak_bytes.length;r.peak_bytes.forEach((m,u)=>{let f=3*Math.
round(255*m/n);t.fillStyle=`rgb(${I[f]??0},${I[f+1]??0},${I[f+2]??0})`,t.fillRect(te+u*d,c,d+.5,o+(o<4?.5:-1))}),
!(c<l)&&(l=c+12,t.fillStyle=S("ink"),t.textAlign="right",t.fillText(r.processes>1?`${r.rank}\u2013${r.last_rank}`:
`rank ${r.rank}`,te-6,c+Math.max(o/2,5)))})}function ms(t){return t.processes>1?`ranks ${t.rank}-${t.last_rank}`:
`rank ${t.rank}`}function hs(t,e){let n=t.store.now,s=i=>i.processes>1?`${i.rank}-${i.last_rank}`:String(i.rank);
return H({label:"Memory of requests in flight",rows:e.rows,chosen:i=>n.selection.rank===s(i),choose:i=>t.store.
select({rank:n.selection.rank===s(i)?"":s(i)}),columns:[{title:"ranks",number:!0,by:i=>i.rank,cell:s},{title:"\
most of one",number:!0,by:i=>i.most_bytes,cell:i=>R(i.most_bytes),help:"the most that the buffers of one proce\
ss take at a moment"},{title:"rank",number:!0,by:i=>i.most_rank,cell:i=>i.most_rank<0?"":i.most_rank},{title:"\
at",number:!0,by:i=>i.most_ns,cell:i=>i.most_rank<0?"":ae(i.most_ns,e.to_ns-e.from_ns)},{title:"mean",number:!0,
by:i=>on(e,i),cell:i=>R(on(e,i)),help:"of the time that is shown, of all ranks of the row together"},{title:"r\
equests",number:!0,by:i=>i.requests,cell:i=>y(i.requests),help:"of the whole run"},{title:"never completed",number:!0,
by:i=>i.open,cell:i=>i.open?y(i.open):""},{title:"",wide:!0,cell:()=>""}]})}function on(t,e){return e.mean_bytes.
reduce((s,i,o)=>s+i*(Math.min(t.to_ns,t.from_ns+(o+1)*t.bin_ns)-t.from_ns-o*t.bin_ns),0)/Math.max(1,t.to_ns-t.
from_ns)}var an={id:"messages",title:"Messages",command:()=>["messages"],key:t=>JSON.stringify(t.selection),show:(t,e)=>{
A(e,async(n,s)=>{let i=t.store.now,[o,l]=t.window(),r=await C("messages",z(i),n,s),a=await C("arrows",{t0:Math.
floor(o),t1:Math.ceil(l),max:1},n,s).catch(()=>null),c=h("div",{},h("h3",{},`${y(r.messages)} messages, ${R(r.
bytes)}; ${y(r.unmatched_sends)} were never received, ${y(r.unmatched_receives)} receives got none`+(r.incomplete.
length?`; ${y(r.incomplete.length)} collectives lack members`:"")),r.unmatched.length?H({label:"Messages witho\
ut a partner",rows:r.unmatched,choose:u=>t.call(0,u.first.process,0,u.first.call),columns:[{title:"what",by:u=>u.
kind,cell:u=>u.kind},{title:"count",number:!0,by:u=>u.count,cell:u=>y(u.count)},{title:"bytes",number:!0,by:u=>u.
bytes,cell:u=>R(u.bytes)},{title:"ranks",cell:u=>u.processes},{title:"peer",number:!0,cell:u=>u.first.peer??"a\
ny"},{title:"tag",number:!0,cell:u=>u.first.tag??"any"},{title:"why",by:u=>u.reason,cell:u=>u.reason},{title:"\
call",wide:!0,cell:u=>`${u.function} @ ${u.site}`}]}):h("p",{class:"empty"},"Every message has a sender and a \
receiver."),r.incomplete.length?H({label:"Collectives that not all members made",rows:r.incomplete,choose:u=>t.
store.select({function:u.function}),columns:[{title:"missing",number:!0,by:u=>u.missing,cell:u=>`${u.missing} \
of ${u.members}`},{title:"came",cell:u=>"ranks "+u.present},{title:"collective",wide:!0,cell:u=>`${u.function}\
 @ ${u.site}`}]}):null),d=h("div",{},h("h3",{},"To whom, as functions of the rank"),H({label:"Partners as func\
tions of the rank",rows:a?.formulas??[],sort:0,empty:"No partner follows from the rank here.",choose:u=>t.store.
select({function:u.func}),columns:[{title:"calls",number:!0,by:u=>u.calls,cell:u=>y(u.calls)},{title:"formula",
by:u=>u.text,cell:u=>h("code",{},u.text)},{title:"ranks",by:u=>u.ranks,cell:u=>u.ranks},{title:"call",wide:!0,
by:u=>u.func,cell:u=>h("span",{title:u.site},`${u.func} @ ${u.site}`)}]})),m=a?.bundles?.length?h("div",{class:"\
narrow"},h("h3",{},"Pairs of ranks"),H({label:"Messages by pairs of ranks",rows:a.bundles,sort:3,choose:u=>t.store.
select({rank:u.from===u.to?String(u.from):[u.from,u.to].sort((f,p)=>f-p).join(",")}),columns:[{title:"from",number:!0,
by:u=>u.from,cell:u=>u.from},{title:"to",number:!0,by:u=>u.to,cell:u=>u.to},{title:"messages",number:!0,by:u=>u.
messages,cell:u=>y(u.messages)},{title:"bytes",number:!0,by:u=>u.bytes,cell:u=>R(u.bytes)}]})):null;return[h("\
div",{class:"columns"},c,d,...m?[m]:[])]})}};var cn={id:"comms",title:"Communicators",command:()=>["info","--comms"],key:t=>String(t.selection.comm),show:(t,e)=>{
A(e,async(n,s)=>{let i=await C("comms",{},n,s);return[H({label:"Communicators",rows:i.communicators,chosen:o=>t.
store.now.selection.comm===String(o.id),choose:o=>t.store.select({comm:t.store.now.selection.comm===String(o.id)?
"":String(o.id)}),columns:[{title:"number",number:!0,by:o=>o.id,cell:o=>o.id},{title:"name",by:o=>o.name,cell:o=>o.
name+(o.labels?.length?` (${o.labels.join(", ")})`:"")},{title:"size",number:!0,by:o=>o.size,cell:o=>y(o.size)},
{title:"made",number:!0,by:o=>o.made,cell:o=>y(o.made)},{title:"freed",number:!0,by:o=>o.freed,cell:o=>y(o.freed)},
{title:"made by",by:o=>o.how,cell:o=>o.how},{title:"members",wide:!0,cell:o=>h("span",{title:o.members},o.members)},
{title:"where",wide:!0,by:o=>o.site??"",cell:o=>h("span",{title:o.site??""},o.site??"")}]})]})}},un={id:"ranks",
title:"Ranks",command:()=>["report"],key:X,show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,l=(await C("report",
z(i,["rank"]),n,s)).ranks??[],r=Math.max(1,...l.map(a=>Math.max(a.mpi_ns,a.computation_ns)));return[H({label:"\
Ranks",rows:l,empty:"There are no times in the selection.",chosen:a=>i.selection.rank===String(a.process),choose:a=>t.
store.select({rank:i.selection.rank===String(a.process)?"":String(a.process)}),columns:[{title:"rank",number:!0,
by:a=>a.process,cell:a=>a.process},{title:"computation",number:!0,by:a=>a.computation_ns,cell:a=>V(a.computation_ns/
r,x(a.computation_ns))},{title:"in calls",number:!0,by:a=>a.mpi_ns,cell:a=>V(a.mpi_ns/r,x(a.mpi_ns),"warm")},{
title:"share in calls",number:!0,by:a=>a.mpi_ns/(a.mpi_ns+a.computation_ns||1),cell:a=>F(a.mpi_ns/(a.mpi_ns+a.
computation_ns||1))},{title:"calls",number:!0,by:a=>a.calls,cell:a=>y(a.calls)},{title:"begins",number:!0,by:a=>a.
begin_ns,cell:a=>x(a.begin_ns)},{title:"ends",number:!0,by:a=>a.end_ns,cell:a=>x(a.end_ns)},{title:"",wide:!0,
cell:()=>""}]})]})}},mt=(t,e=0)=>e/(t.lines||1),ln=(t,e,n,s)=>e===void 0?"":V(mt(t,e)/n,x(e),s),dn={id:"classe\
s",title:"Classes",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.order,t.open]),show:(t,e)=>{
A(e,async(n,s)=>{let i=t.store.now,o=await C("spent",{},n,s),l=ke(i.order==="classes"?i.open:""),r=o.total-o.classes.
length,a=Math.max(1,...o.classes.flatMap(c=>[mt(c,c.in_calls_ns),mt(c,c.computation_ns)]));return[h("h3",{},`${j(
o.total,"class")} of threads that made the same calls in the same order`+(r?`: the first ${o.classes.length}; \
the ranks of the others are rows of the map`:"")),H({label:"Classes",rows:o.classes,chosen:c=>!!i.selection.rank&&
i.selection.rank===c.ranks,choose:c=>{c.ranks&&t.store.select({rank:i.selection.rank===c.ranks?"":c.ranks})},columns:[
{title:"class",number:!0,by:c=>c.class,cell:c=>c.class},{title:"threads",number:!0,by:c=>c.lines,cell:c=>y(c.lines)},
{title:"thread",number:!0,by:c=>c.thread,cell:c=>c.thread},{title:"calls",number:!0,by:c=>c.calls,cell:c=>y(c.
calls)},{title:"computation",number:!0,by:c=>c.computation_ns??0,cell:c=>ln(c,c.computation_ns,a)},{title:"in \
calls",number:!0,by:c=>c.in_calls_ns??0,cell:c=>ln(c,c.in_calls_ns,a,"warm")},{title:"on the map",cell:c=>c.lines>
1?h("button",{type:"button","aria-expanded":String(l.has(c.class)),"aria-label":`unfold class ${c.class} on th\
e map`,click:()=>ct(t.store,c.class)},l.has(c.class)?"fold":"unfold"):""},{title:"ranks",wide:!0,cell:c=>h("sp\
an",{title:c.ranks},c.ranks||`${y(c.lines)} ranks: a list too long to show`)}]})]})}},mn={id:"steps",title:"St\
eps",command:()=>["report"],key:t=>JSON.stringify([t.selection.steps,t.selection.step_loop]),show:(t,e)=>{A(e,
async(n,s)=>{let i=t.store.now,o=await C("steps",{step_loop:i.selection.step_loop},n,s),l=new Map((o.slow??[]).
map(d=>[Math.floor(d.step/o.stride),d])),r=o.begin_ns.map((d,m)=>({i:m,begin:d,length:o.length_ns[m]??0,mean:o.
mean_ns[m]??0,work:o.computation_ns[m]??0,slow:l.get(m)})),a=Math.max(1,...r.map(d=>d.length)),c=d=>o.stride>1?
`${d*o.stride}-${Math.min(o.total,(d+1)*o.stride)-1}`:String(d);return[h("h3",{},`${y(o.total)} time steps${o.
loop?" of the loop at "+o.loop:o.region?" (region "+o.region+")":""}, median ${x(o.median_ns)}`),H({label:"Tim\
e steps",rows:r,empty:"No time steps were found.",chosen:d=>i.selection.steps===c(d.i),choose:d=>t.store.select(
{steps:i.selection.steps===c(d.i)?"":c(d.i),time:""}),columns:[{title:"step",number:!0,by:d=>d.i,cell:d=>c(d.i)},
{title:"begins",number:!0,by:d=>d.begin,cell:d=>`${(d.begin/1e9).toFixed(6)} s`},{title:"slowest rank",number:!0,
by:d=>d.length,cell:d=>V(d.length/a,x(d.length),d.slow?"warm":"bar")},{title:"mean",number:!0,by:d=>d.mean,cell:d=>x(
d.mean)},{title:"most computation",number:!0,by:d=>d.work,cell:d=>x(d.work)},{title:"too long by",number:!0,by:d=>d.
slow?.excess_ns??0,cell:d=>d.slow?x(d.slow.excess_ns):""},{title:"because of",wide:!0,by:d=>d.slow?.cause??"",
cell:d=>d.slow?`${d.slow.cause}${d.slow.process>=0?`, rank ${d.slow.process}`:""}`:""}]})]})}},hn={id:"outlier\
s",title:"Odd ranks",command:()=>["outliers"],key:X,show:(t,e)=>{A(e,async(n,s)=>{let i=await C("outliers",z(t.
store.now),n,s);return[H({label:"Ranks that did something else than the others",rows:i.outliers,empty:`All ran\
ks do what others do too (${y(i.variants.length)} ${i.variants.length===1?"variant":"variants"} of calls).`,choose:o=>{
let l=i.variants[o.variant]?.ranks??"",r=/^\d+/.exec(l)?.[0];t.store.select({rank:l}),r&&t.call(0,Number(r),0,
o.call)},columns:[{title:"ranks",by:o=>i.variants[o.variant]?.ranks??"",cell:o=>i.variants[o.variant]?.ranks??
""},{title:"like",cell:o=>i.variants[o.of]?`to ${i.variants[o.of]?.ranks}`:""},{title:"how",by:o=>o.kind,cell:o=>o.
kind},{title:"differences",number:!0,by:o=>o.differences,cell:o=>y(o.differences)},{title:"what",wide:!0,by:o=>o.
what,cell:o=>h("span",{title:o.what},o.what)}]})]})}},fn={id:"compare",title:"Compare",command:()=>["diff"],key:X,
show:(t,e)=>{A(e,async(n,s)=>{let i=await C("diff",z(t.store.now),n,s),o=i.times,l=Math.max(1,...(o?.sites??[]).
map(r=>Math.abs(r.b_ns-r.a_ns)));return[h("div",{class:"columns"},h("div",{},h("h3",{},i.same?"No differences \
in calls":`${y(i.total_differences)} differences in calls`),H({label:"Differences",rows:i.differences,empty:"B\
oth made the same calls.",choose:r=>{let a=r.loops?.find(d=>d.step),c=/^\d+/.exec(r.ranks)?.[0];t.store.select(
{rank:r.ranks,...a?{steps:String(a.iteration),time:""}:{}}),c&&!a&&t.call(r.world??0,Number(c),r.thread??0,r.call_a)},
columns:[{title:"kind",by:r=>r.kind,cell:r=>r.kind},{title:"ranks",by:r=>r.num_ranks,cell:r=>r.ranks},{title:"\
step",number:!0,by:r=>r.loops?.find(a=>a.step)?.iteration??-1,cell:r=>r.loops?.find(a=>a.step)?.iteration??""},
{title:"what",wide:!0,cell:r=>h("span",{title:r.text},r.text)}]})),h("div",{},h("h3",{},o?`time ${x(o.elapsed_a_ns)}\
 and ${x(o.elapsed_b_ns)}`:"no times"),o?H({label:"Time by call site in both",rows:o.sites,choose:r=>t.store.select(
{function:r.func}),columns:[{title:"second takes more",number:!0,by:r=>r.b_ns-r.a_ns,cell:r=>V(Math.abs(r.b_ns-
r.a_ns)/l,(r.b_ns>r.a_ns?"+":"")+x(r.b_ns-r.a_ns),r.b_ns>r.a_ns?"warm":"bar")},{title:"first",number:!0,by:r=>r.
a_ns,cell:r=>x(r.a_ns)},{title:"second",number:!0,by:r=>r.b_ns,cell:r=>x(r.b_ns)},{title:"call",wide:!0,by:r=>r.
func,cell:r=>h("span",{title:r.site??""},`${r.func} @ ${r.site??""}`)}]}):null),...i.notes?.length?[h("div",{class:"\
narrow"},...i.notes.map(r=>h("p",{class:"empty"},r)))]:[])]})}};var bn=[["site","call site"],["function","function"],["comm","communicator"],["rank","rank"]];function ht(t){return bn.
some(([e])=>e===t)?t:"site"}var gn={id:"sites",title:"Call sites",command:t=>["profile","--by",ht(t.detail)],key:t=>X(
t)+ht(t.detail),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,o=ht(i.detail),l=await C("profile",{...z(i),by:o},
n,s),r=m=>h("div",{class:"controls"},W("by ",bn,o,u=>t.store.set({detail:u==="site"?"":u})),h("span",{class:"n\
ote",role:"status"},m));if(o!=="site"||!t.overview.timed)return[r(""),Xe(t,l,null,o)];let a=m=>{e.firstElementChild?.
classList.contains("controls")&&T(e.firstElementChild.lastElementChild,m)},c=C("waits",z(i),n,m=>a(`waiting is\
 worked out: ${m.what} \u2026`)).catch(()=>null),d=await Promise.race([c,new Promise(m=>setTimeout(()=>m(void 0),
700))]);return d!==void 0?[r(""),Xe(t,l,d,o)]:(c.then(m=>{n.aborted||T(e,r(m?"":"waiting is not known"),Xe(t,l,
m,o))}),[r("waiting is worked out \u2026"),Xe(t,l,null,o)])})}};function Xe(t,e,n,s){let i=t.store.now,o=new Map,
l=new Map;for(let u of n?.causes??[])pn(o,u.late.func+" @ "+u.late.site,u.time_ns);for(let u of n?.waits??[])pn(
l,u.waiting.func+" @ "+u.waiting.site,u.time_ns);let r=e.rows.map(u=>{let f=le(u.site),p=`${u.func} @ ${f}`;return{
...u,where:f,name:fs(u),caused:o.get(p)??0,waited:l.get(p)??0}}),a=e.elapsed_ns??0,c=e.time_ns!==void 0,d=Math.
max(1,...r.map(u=>u.times?.total_ns??0)),m=Math.max(1,...r.map(u=>u.caused));return H({label:"Calls, by "+s,rows:r,
sort:n||c?0:1,chosen:u=>s==="rank"?i.selection.rank===String(u.rank):s==="comm"?i.selection.comm===String(u.comm?.
id):!!u.func&&i.selection.function===u.func,choose:u=>{s==="rank"?t.store.select({rank:i.selection.rank===String(
u.rank)?"":String(u.rank)}):s==="comm"?t.store.select({comm:i.selection.comm===String(u.comm?.id)?"":String(u.
comm?.id)}):u.func&&t.store.select({function:i.selection.function===u.func?"":u.func})},columns:[...n?[{title:"\
causes waiting",number:!0,by:u=>u.caused||u.waited/1e9,help:"waiting of other ranks that goes back to ranks co\
ming late to these calls",cell:u=>u.caused?V(u.caused/m,x(u.caused),"warm"):""}]:[],...c?[{title:"time",number:!0,
by:u=>u.times?.total_ns??0,cell:u=>V((u.times?.total_ns??0)/d,x(u.times?.total_ns??0))},{title:"share",number:!0,
by:u=>u.times?.total_ns??0,help:"of the time of all ranks",cell:u=>F((u.times?.total_ns??0)/(s==="rank"?u.elapsed_ns||
1:a||1))}]:[],...n?[{title:"waiting in it",number:!0,by:u=>u.waited,cell:u=>u.waited?x(u.waited):""}]:[],{title:"\
calls",number:!0,by:u=>u.calls,cell:u=>y(u.calls)},...c?[{title:"mean",number:!0,by:u=>u.times?.mean_ns??0,cell:u=>u.
times?x(u.times.mean_ns):""},{title:"longest",number:!0,by:u=>u.times?.max_ns??0,cell:u=>u.times?x(u.times.max_ns):
""}]:[],{title:"bytes",number:!0,by:u=>u.bytes,cell:u=>u.bytes?R(u.bytes):""},...s==="site"||s==="function"?[{
title:"ranks",number:!0,by:u=>u.ranks,cell:u=>y(u.ranks)}]:[],{title:s==="site"?"function":s,by:u=>s==="rank"?
u.rank??0:u.name,cell:u=>u.name},...s==="site"?[{title:"call site",wide:!0,by:u=>u.where,cell:u=>h("span",{title:u.
where},u.where||"unknown")}]:[]]})}function fs(t){return t.comm?t.comm.name:t.rank!==void 0?(t.world?`w${t.world}\
:`:"")+t.rank:t.func??""}function pn(t,e,n){t.set(e,(t.get(e)??0)+n)}var vn=[["causes","causes"],["places","where they wait"],["ranks","ranks"],["steps","time steps"]];function wn(t){
let e={view:"causes"};for(let n of t.split(",")){let[s="",i]=n.split(":");s==="cause"&&i?e.cause=i:s==="kind"&&
i?e.kind=i:vn.some(([o])=>o===s)&&(e.view=s)}return e}function ps(t){return[t.view,t.cause&&"cause:"+t.cause,t.
kind&&"kind:"+t.kind].filter(Boolean).join(",")}var yn={id:"waits",title:"Waits",command:t=>{let e=wn(t.detail);return["waits",...e.cause?["--cause",e.cause]:
[],...e.kind?["--kind",e.kind]:[]]},key:t=>JSON.stringify([t.selection,t.detail]),show:(t,e)=>{A(e,async(n,s)=>{
let i=t.store.now,o=wn(i.detail),l=z(i,o.cause?["rank"]:[]),r=await C("waits",{...l,cause:o.cause,kind:o.kind},
n,s),a=u=>t.store.set({detail:ps({...o,...u})}),c=Object.entries(r.kinds).filter(([,u])=>u.count>0).sort((u,f)=>f[1].
time_ns-u[1].time_ns),d=Math.max(1,...c.map(([,u])=>u.time_ns)),m=h("div",{class:"narrow"},h("h3",{},`${x(r.total.
time_ns)} in ${y(r.total.count)} waits, ${F(r.total.time_ns/(r.elapsed_ns||1))} of the time`),H({label:"Kinds \
of waits",rows:c,empty:"Nobody waits for anybody in the selection.",chosen:([u])=>o.kind===u.replaceAll(" ","-"),
choose:([u])=>a({kind:o.kind===u.replaceAll(" ","-")?"":u.replaceAll(" ","-")}),columns:[{title:"pattern",by:([
u])=>u,cell:([u])=>u},{title:"waits",number:!0,by:([,u])=>u.count,cell:([,u])=>y(u.count)},{title:"time",number:!0,
by:([,u])=>u.time_ns,cell:([,u])=>V(u.time_ns/d,x(u.time_ns),"warm")}]}));return[h("div",{class:"controls"},W(
"show ",vn,o.view,u=>a({view:u})),o.cause!==void 0&&h("span",{},`only what rank ${o.cause} causes `,h("button",
{type:"button",click:()=>a({cause:""})},"show all")),o.kind!==void 0&&h("span",{},`only ${o.kind.replaceAll("-",
" ")} `,h("button",{type:"button",click:()=>a({kind:""})},"show all"))),h("div",{class:"columns"},m,h("div",{},
bs(r,o.view,t)))]})}};function bs(t,e,n){let s=r=>n.store.select({steps:String(r),time:""}),i=(r,a=-1)=>n.store.
select(a>=0?{rank:String(r),steps:String(a),time:""}:{rank:String(r)},{detail:`causes,cause:${r}`}),o=r=>h("sp\
an",{title:r},r);if(e==="places"){let r=Math.max(1,...t.waits.map(a=>a.time_ns));return H({label:"Where ranks \
wait",rows:t.waits,choose:a=>n.store.select({function:a.waiting.func}),columns:[{title:"time",number:!0,by:a=>a.
time_ns,cell:a=>V(a.time_ns/r,x(a.time_ns),"warm")},{title:"waits",number:!0,by:a=>a.count,cell:a=>y(a.count)},
{title:"longest",number:!0,by:a=>a.max_ns,cell:a=>x(a.max_ns)},{title:"pattern",by:a=>a.kind,cell:a=>a.kind},{
title:"waiting most",by:a=>a.waiters?.[0]?.process??-1,cell:a=>a.waiters?.[0]?`rank ${a.waiters[0].process}`:""},
{title:"for",by:a=>a.causers?.[0]?.process??-1,cell:a=>a.causers?.[0]?`rank ${a.causers[0].process}`:""},{title:"\
waiting in",wide:!0,by:a=>a.waiting.site,cell:a=>o(`${a.waiting.func} @ ${a.waiting.site}`)},{title:"late in",
wide:!0,by:a=>a.late.site,cell:a=>o(`${a.late.func} @ ${a.late.site}`)}]})}if(e==="ranks"){let r=Math.max(1,...t.
processes.map(c=>c.root_ns)),a=c=>Object.values(c.waited_ns).reduce((d,m)=>d+m,0);return H({label:"Ranks by th\
e waiting that goes back to them",rows:t.processes,sort:1,choose:c=>i(c.process),columns:[{title:"rank",number:!0,
by:c=>c.process,cell:c=>c.process},{title:"goes back to it",number:!0,by:c=>c.root_ns,cell:c=>V(c.root_ns/r,x(
c.root_ns),"warm")},{title:"others wait for it",number:!0,by:c=>c.caused_ns,cell:c=>x(c.caused_ns)},{title:"it\
 waits",number:!0,by:a,cell:c=>x(a(c))},{title:"mostly",wide:!0,cell:c=>Object.entries(c.waited_ns).sort((d,m)=>m[1]-
d[1])[0]?.[0]??""}]})}if(e==="steps"){let r=Math.max(1,...t.steps.map(a=>a.time_ns));return H({label:"Waiting \
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
length-2;for(;a<c;){let p=a+c+1>>1;(i[p]??0)<=r?a=p:c=p-1}let[d=0,m=1,u=0,f=1]=[i[a],i[a+1],o[a],o[a+1]];return u+
(r-d)/(m-d)*(f-u)}}async function ft(t,e,n,s,i){let o=await B("overview",{rec:1});if(!o.grid||!t.overview.grid)
return;let l=await B("steps",{rec:1}).catch(()=>{}),r=[t.overview.grid.from_ns,t.overview.grid.to_ns],a=[o.grid.
from_ns,o.grid.to_ns],c=new xe({rec:1,overview:o,store:t.store,own:kn(i,l,r,a),shared:kn(l,i,a,r)});c.element.
classList.add("second"),n.append(h("h2",{},`${o.name}: coupled with the first by ${i?.total&&l?.total?"iterati\
on":"time"}`),c.element),s.push(c),l&&c.setSteps(l),ws(t,e,c)}var gs=40;async function ws(t,e,n){let s=await B(
"diff").catch(()=>null);for(let i of s?.differences.slice(0,gs)??[]){let o=Number(/^\d+/.exec(i.ranks)?.[0]??-1);
if(o<0)continue;let l=i.loops?.find(a=>a.step),r=()=>t.store.select({rank:i.ranks,...l?{steps:String(l.iteration),
time:""}:{}},{panel:"compare"});for(let[a,c,d]of[[0,e,i.call_a],[1,n,i.call_b]]){let u=(await B("calls",{rec:a||
void 0,rank:o,thread:i.thread||void 0,from:d,limit:1}).catch(()=>null))?.calls[0]?.start_ns;u!==void 0&&(c.markers.
push({at:u,rank:o,text:i.text,choose:r}),c.draw())}}}function xn(t){let e=h("ul",{class:"hits",id:"hits",role:"listbox","aria-label":"What was found",hidden:!0}),n=h(
"input",{type:"search",placeholder:"search  ( / )","aria-label":"Search functions, call sites, ranks, values",
role:"combobox","aria-controls":"hits","aria-expanded":"false",autocomplete:"off",spellcheck:"false",disabled:q}),
s=[],i=-1,o=new AbortController,l=0;function r(){e.hidden=!0,n.setAttribute("aria-expanded","false"),i=-1}function a(){
[...e.children].forEach((m,u)=>{m.setAttribute("aria-selected",String(u===i)),u===i&&m.scrollIntoView({block:"\
nearest"})}),i>=0?n.setAttribute("aria-activedescendant",`hit${i}`):n.removeAttribute("aria-activedescendant")}
function c(m){r(),n.blur();let u={};for(let[f,p]of Object.entries(m.select??{}))ie.includes(f)&&(u[f]=p);t.store.
select(u),m.rank>=0&&["value","site","kernel"].includes(m.kind)&&t.call(0,m.rank,m.thread,m.call),t.say(`${m.kind}\
 ${m.text} selected`)}async function d(m){o.abort(),o=new AbortController;let u=o;if(!m)return r();e.hidden=!1,
n.setAttribute("aria-expanded","true");try{let f=await B("search",{q:m,limit:50},{signal:u.signal,pending:p=>T(
e,h("li",{},p.what+" \u2026"))});if(u.signal.aborted)return;s=f.hits??[],i=s.length?0:-1,T(e,...s.map((p,b)=>h(
"li",{role:"option",id:`hit${b}`,pointerdown:g=>{g.preventDefault(),c(p)}},h("span",{class:"kind"},p.kind),h("\
span",{class:"text",title:p.text},p.text),h("span",{},p.calls?y(p.calls):""))),s.length?null:h("li",{},"Nothin\
g is called that."),f.more?h("li",{class:"kind"},"There is more: write more of it."):null),a()}catch(f){u.signal.
aborted||T(e,h("li",{class:"bad"},f instanceof Error?f.message:String(f)))}}return n.addEventListener("input",
()=>{clearTimeout(l),l=setTimeout(()=>{d(n.value.trim())},120)}),n.addEventListener("blur",r),n.addEventListener(
"keydown",m=>{let u=s.length;if(m.key==="ArrowDown"&&u)i=(i+1)%u;else if(m.key==="ArrowUp"&&u)i=(i+u-1)%u;else if(m.
key==="Enter"&&s[i])c(s[i]);else if(m.key==="Escape")r(),n.blur();else return;m.preventDefault(),a()}),{element:h(
"div",{class:"search"},n,e),focus:()=>{n.focus(),n.select()}}}var re=54,ce=78,Je=class{constructor(e){this.store=e;this.element=h("div",{class:"strip"},this.canvas,this.tip),
new ResizeObserver(()=>this.draw()).observe(this.element),addEventListener("themechange",()=>this.draw()),e.listen(
(s,i)=>{s.selection.steps!==i.selection.steps&&this.draw()});let n=this.canvas;n.addEventListener("pointerdown",
s=>{n.setPointerCapture(s.pointerId),this.drag={x:s.offsetX,x1:s.offsetX}}),n.addEventListener("pointermove",s=>{
this.drag?(this.drag.x1=s.offsetX,this.draw()):this.point(s.offsetX)}),n.addEventListener("pointerleave",()=>this.
tip.hidden=!0),n.addEventListener("pointerup",()=>{let s=this.drag;this.drag=void 0;let i=this.steps;if(!s||!i?.
begin_ns.length)return;let[o,l]=[this.at(Math.min(s.x,s.x1)),this.at(Math.max(s.x,s.x1))],r=Math.min(i.total-1,
(l+1)*i.stride-1),a=o*i.stride;e.select({steps:a===r?String(a):`${a}-${r}`,time:""})})}store;element;canvas=h(
"canvas",{tabindex:0,role:"img"});tip=h("div",{class:"tip",hidden:!0});steps;width=0;waiting=!1;drag;show(e){this.
steps=e;let n=e.slow?.length??0;this.canvas.setAttribute("aria-label",`Durations of ${j(e.total,"time step")},\
 median ${x(e.median_ns)}, ${j(n,"step")} unusually long. The table Steps has the same as text.`),this.draw()}none(e){
T(this.element,h("p",{class:"empty"},e))}at(e){let n=this.steps?.begin_ns.length??1;return Math.max(0,Math.min(
n-1,Math.floor((e-ce)/(this.width-ce)*n)))}draw(){this.waiting||(this.waiting=!0,requestAnimationFrame(()=>{this.
waiting=!1,this.paint()}))}paint(){let e=this.steps;if(this.width=this.element.clientWidth,!e||!this.width)return;
let n=devicePixelRatio||1;this.canvas.width=this.width*n,this.canvas.height=re*n,this.canvas.style.width=this.
width+"px",this.canvas.style.height=re+"px";let s=this.canvas.getContext("2d");if(!s)return;s.setTransform(n,0,
0,n,0,0),s.fillStyle=S("paper"),s.fillRect(0,0,this.width,re);let i=e.length_ns.length;if(!i)return;let o=[...e.
length_ns].sort((u,f)=>u-f),l=Math.min(o[i-1]??1,Math.max((o[Math.floor(i*.99)]??1)*1.5,e.median_ns*4)),r=new Set(
(e.slow??[]).map(u=>Math.floor(u.step/e.stride))),a=be(this.store.now.selection.steps,e.total),c=this.width-ce,
d=u=>re-2-Math.min(1,u/l)*(re-8),m=c/i;for(let u=0;u<i;u++){let f=ce+u*m,p=e.length_ns[u]??0,b=a&&(u*e.stride+
e.stride-1<a[0]||u*e.stride>a[1]);s.globalAlpha=b?.35:1,s.fillStyle=r.has(u)?S("bad"):S("step");let g=Math.max(
m-(m>4?1:0),r.has(u)?2:.6);if(s.fillRect(f,d(p),g,re-d(p)),m>2){s.fillStyle=S("stepwork");let M=d(e.computation_ns[u]??
0);s.fillRect(f,M,g,re-M)}p>l&&(s.fillStyle=S("paper"),s.fillRect(f,10,g,2))}s.globalAlpha=1,s.strokeStyle=S("\
accent"),s.setLineDash([3,3]),s.beginPath(),s.moveTo(ce,d(e.median_ns)+.5),s.lineTo(this.width,d(e.median_ns)+
.5),s.stroke(),s.setLineDash([]),s.fillStyle=S("faint"),s.font="11px system-ui, DejaVu Sans, sans-serif",s.textAlign=
"right",s.fillText(x(l),ce-6,14),s.fillText("steps",ce-6,re-6),Math.abs(d(e.median_ns)-14)>14&&Math.abs(d(e.median_ns)-
re+6)>14&&s.fillText("median",ce-6,d(e.median_ns)+4),this.drag&&(s.fillStyle=S("select"),s.fillRect(Math.min(this.
drag.x,this.drag.x1),0,Math.abs(this.drag.x1-this.drag.x),re))}point(e){let n=this.steps;if(!n?.begin_ns.length||
e<ce){this.tip.hidden=!0;return}let s=this.at(e),i=(n.slow??[]).find(l=>Math.floor(l.step/n.stride)===s),o=s*n.
stride;T(this.tip,h("b",{},n.stride>1?`steps ${o}-${Math.min(n.total,o+n.stride)-1}`:`step ${o}`),h("div",{},`${x(
n.length_ns[s]??0)}, computation ${x(n.computation_ns[s]??0)}`),h("div",{},`median of all ${x(n.median_ns)}`),
i&&h("div",{class:"bad"},`${x(i.excess_ns)} too long: ${i.cause}${i.process>=0?`, rank ${i.process}`:""}`)),this.
tip.hidden=!1,this.tip.style.left=Math.min(e+12,this.width-this.tip.offsetWidth-4)+"px",this.tip.style.top="4p\
x"}};var $=new Ae;async function vs(){let t;try{t=await B("overview")}catch(e){document.body.replaceChildren(h("p",
{class:"fatal",role:"alert"},ue(e)));return}document.title=se(t.name)+" - tabard",ys(t)}function ys(t){let e=h(
"span",{class:"status",role:"status"}),n=m=>T(e,m),s,i=[],o=()=>i[0],l=[t.grid?.from_ns??0,t.grid?.to_ns??1],r={
store:$,overview:t,say:n,steps:()=>s,look:(m,u)=>{let f=o();f&&f.look(m,u,f.view[2],f.view[3],!1)},call:(m,u,f,p)=>$.
set({call:[m,u,f,p],panel:"call"}),window:()=>pe($.now.selection.time,...l)??l},a=xn(r),c=[gn,yn,qt,an,sn,Zt,Yt,
Vt,rn,un,dn,mn,cn,hn];t.recordings>1&&c.push(fn);let d=h("div",{class:"maps"});if(t.grid&&t.timed){let m=new Je(
$),u=new xe({rec:0,overview:t,store:$});i.push(u),d.append(h("div",{class:"bar-of-map"},Mn("colour ",At,"color",
f=>$.set({color:f})),Mn("rows ",ks(t.grid.orders),"order",f=>$.set({order:f,view:void 0})),Nt($,u)),m.element,
u.element),B("steps").then(f=>{if(s=f,!f.total)return m.none("No time steps were found in this run (see tabard\
 loops).");m.show(f),u.setSteps(f),t.recordings>1&&ft(r,u,d,i,f)},f=>{m.none(ue(f)),t.recordings>1&&ft(r,u,d,i,
void 0)})}else d.append(h("p",{class:"empty"},"This recording has no times of calls, so that there is no map. \
The tables below are complete."));document.body.replaceChildren(h("div",{},h("a",{href:"#panel",class:"skip",click:m=>{
m.preventDefault(),document.getElementById("panel")?.focus()}},"skip to the tables"),xs(t,a.element,r,c),$t(r),
_s(n),St(t)),h("main",{},d,Tt(r)),Ss(),$s(c,r),h("footer",{},e,h("span",{},t.version)));for(let m of document.
querySelectorAll(".panel"))m.id="panel";Ls(r,a.focus,i,c,l),addEventListener("jump",m=>{Ye(m.detail,r,l)}),Object.
assign(window,{tabard:{frames:()=>i.flatMap(m=>m.frames),first:()=>i[0]?.firstPicture??NaN,calls:()=>i[0]?.callsDrawn()??
[],bands:()=>i[0]?.bandsDrawn()??[],near:m=>i[0]?.near(m)}})}function ks(t){let e={rank:"ranks",class:"ranks b\
y class",host:"ranks by host"},n=t.map(s=>[s,e[s]??s]);return q?n:[...n,["classes","classes"]]}function Mn(t,e,n,s){
let i=W(t,e,$.now[n],s);return $.listen(o=>{let l=i.querySelector("select");l&&(l.value=o[n])}),i}function xs(t,e,n,s){
let i=(o,l,r)=>h("button",{type:"button",title:l,"aria-label":l,click:r},o);return h("header",{},h("h1",{title:t.
name},t.name),h("span",{class:"what",title:`${t.command.join(" ")}
${t.mpi}`},`${t.command.join(" ")} \u2014 ${j(t.hosts,"host")}, ${t.created.slice(0,16).replace("T"," ")}`),e,
i("\u21B6","Undo (U)",()=>$.undo()),i("\u21B7","Redo (Shift+U)",()=>$.redo()),i("copy as command","Copy as com\
mand (C)",()=>{$n(n,s)}),i("export","Export the selection (E)",()=>Sn(n,s)),i("\u25D0","Dark or light (T)",_n),
i("?","Help (?)",Ze))}function _n(){let t=document.documentElement.dataset.theme??(matchMedia("(prefers-color-\
scheme: dark)").matches?"dark":"light");document.documentElement.dataset.theme=t==="dark"?"light":"dark",dispatchEvent(
new Event("themechange"))}var pt={rank:"ranks",function:"functions",comm:"communicator",time:"time",in:"region",
steps:"steps",step_loop:"step loop"},Ms={rank:"0,4-7",function:"p2p,MPI_Allreduce",comm:"0",time:"10%..30%",in:"\
solve",steps:"10-19",step_loop:"100"};function _s(t){let e=new Map,n=h("section",{class:"selection","aria-labe\
l":"Selection"}),s=h("button",{type:"button",title:"Select everything (Esc)",click:()=>$.set({selection:{}})},
"clear");for(let o of ie){if(o==="step_loop")continue;let l=h("input",{placeholder:"all",title:`${pt[o]}, e.g.\
 ${Ms[o]}`,"aria-label":pt[o],spellcheck:"false",autocomplete:"off"});l.addEventListener("change",()=>$.select(
{[o]:l.value.trim()})),l.addEventListener("keydown",r=>{r.key==="Escape"&&l.blur()}),e.set(o,l),n.append(h("la\
bel",{class:o},pt[o],l))}n.append(s);let i=()=>{for(let[o,l]of e)l.value=$.now.selection[o]??"",l.classList.toggle(
"set",!!$.now.selection[o]);s.disabled=!Object.keys($.now.selection).length};return $.listen((o,l)=>{i(),o.selection!==
l.selection&&t(Object.keys(o.selection).length?"selected: "+Ne(o.selection):"everything is selected")}),i(),n}
function $s(t,e){let n=h("div",{role:"tablist","aria-label":"Panels"}),s=h("div",{class:"panel",role:"tabpanel",
tabindex:-1}),i="",o=()=>t.find(c=>c.id===$.now.panel)??t[0],l=c=>$.set({panel:c.id,detail:""}),r=t.map(c=>h("\
button",{type:"button",role:"tab",id:"tab-"+c.id,click:()=>l(c)},c.title));n.append(...r),n.addEventListener("\
keydown",c=>{let d=t.indexOf(o()),m={ArrowRight:d+1,ArrowLeft:d-1,Home:0,End:t.length-1}[c.key],u=m===void 0?void 0:
t[(m+t.length)%t.length];u&&(c.preventDefault(),c.stopPropagation(),l(u),r[t.indexOf(u)]?.focus())});let a=()=>{
let c=o();t.forEach((u,f)=>{r[f]?.setAttribute("aria-selected",String(u===c)),r[f]?.setAttribute("tabindex",u===
c?"0":"-1")}),s.setAttribute("aria-labelledby","tab-"+c.id);let d=c.id+c.key($.now);if(d===i)return;let m=s.contains(
document.activeElement);i=d,c.show(e,s),m&&s.focus()};return $.listen(a),addEventListener("themechange",()=>{i=
"",a()}),a(),h("section",{class:"bottom","aria-label":"Panels"},n,s)}function Ss(){let t=h("button",{type:"but\
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
let o=()=>{let a=[...t.steps()?.slow??[]].map(d=>d.step).sort((d,m)=>d-m);if(!a.length)return t.say("No time s\
tep takes unusually long.");let c=$.now.selection.steps?bt(t,i):-1;Ye(a.find(d=>d>c)??a[0]??0,t,i)},l=n[0],r={
w:()=>l?.zoom(.7),s:()=>l?.zoom(1/.7),a:()=>l?.pan(-.2),d:()=>l?.pan(.2),ArrowLeft:()=>l?.pan(-.2),ArrowRight:()=>l?.
pan(.2),ArrowUp:()=>l?.scroll(-.2),ArrowDown:()=>l?.scroll(.2),"+":()=>l?.zoomLines(.5),"=":()=>l?.zoomLines(.5),
"-":()=>l?.zoomLines(2),0:()=>$.set({view:void 0}),f:()=>l?.fit(),"[":()=>{Ye(bt(t,i)-1,t,i)},"]":()=>{Ye(bt(t,
i)+1,t,i)},o,"/":e,"?":Ze,x:()=>l?.unfold(),u:()=>$.undo(),U:()=>$.redo(),t:_n,Escape:()=>$.set({selection:{}}),
m:()=>{for(let a of n)a.messages=!a.messages,a.draw();t.say(l?.messages?"messages are drawn":"messages are not\
 drawn")},c:()=>{$n(t,s)},e:()=>Sn(t,s)};s.slice(0,9).forEach((a,c)=>r[String(c+1)]=()=>$.set({panel:a.id,detail:""})),
addEventListener("keydown",a=>{if(a.target.closest("input, textarea, select, dialog"))return;if((a.ctrlKey||a.
metaKey)&&!a.altKey){let m={z:()=>a.shiftKey?$.redo():$.undo(),Z:()=>$.redo(),y:()=>$.redo()}[a.key];return m?
(a.preventDefault(),m()):void 0}if(a.ctrlKey||a.metaKey||a.altKey)return;let d=r[a.key]??(a.key.length===1?r[a.
key.toLowerCase()]:void 0);d&&(a.preventDefault(),d())}),addEventListener("themechange",()=>n.forEach(a=>a.draw()))}
vs();})();
