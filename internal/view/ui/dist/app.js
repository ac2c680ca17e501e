"use strict";(()=>{var ee=class extends Error{constructor(n,s){super(s);this.status=n}status},gt=!1,wt=new EventTarget;function vt(){
gt=!0,wt.dispatchEvent(new Event("agreed"))}var he=(()=>{let t=document.getElementById("tabard-data");return t?
JSON.parse(t.textContent??"{}").answers:null})(),U=he!==null;function Me(t,e={}){let n=Object.keys(e).sort().filter(
s=>e[s]!==void 0&&e[s]!=="").map(s=>`${encodeURIComponent(s)}=${encodeURIComponent(String(e[s]))}`);return"/ap\
i/"+t+(n.length?"?"+n.join("&"):"")}var ne=new Map,En=200;function Ln(t){let e=ne.get(t);ne.delete(t);let n=e??
An(t);ne.set(t,n);for(let s of ne.keys()){if(ne.size<=En)break;ne.delete(s)}return n}function An(t){let e=new AbortController,
n=new Set,s=(async()=>{let o=await kt(t,{signal:e.signal,pending:l=>n.forEach(r=>r(l))});if(!o.ok)throw await xt(
o);return await o.json()})(),i={value:s,waiting:0,pending:n,stop:e};return s.catch(()=>ne.get(t)===i&&ne.delete(
t)),i}function yt(){return new ee(404,"This is not in this file: open the recording itself with tabard view.")}
async function Rn(t){if(!he||!(t in he))throw yt();let e=he[t];if(typeof e=="object"&&e.error)throw new ee(409,
e.error);return e}async function kt(t,e){let n=t;for(;;){let s;try{s=await fetch("."+n,{signal:e.signal??null,
credentials:"same-origin"})}catch(o){throw e.signal?.aborted?o:new ee(0,"The server does not answer: has tabar\
d view ended? Start it again, and reload this page.")}if(s.status!==202)return s;let i=await s.json();if(e.pending?.(
i),i.held?(gt||await new Promise(o=>wt.addEventListener("agreed",o,{once:!0})),n=t+(t.includes("?")?"&":"?")+"\
heavy=1"):await new Promise(o=>setTimeout(o,300)),e.signal?.aborted)throw new DOMException("aborted","AbortErr\
or")}}async function xt(t){if(t.status===401||t.status===403)return new ee(t.status,"This page may not ask the\
 server: open the address that tabard view printed.");try{return new ee(t.status,(await t.json()).error)}catch{
return new ee(t.status,`The server answered with status ${t.status}.`)}}function B(t,e={},n={}){let s=Me(t,e);
if(he)return Rn(s);let i=Ln(s);i.waiting++;let{signal:o,pending:l}=n;return l&&i.pending.add(l),new Promise((r,a)=>{
let u=()=>{l&&i.pending.delete(l),a(new DOMException("aborted","AbortError")),!(--i.waiting>0)&&(ne.get(s)===i&&
ne.delete(s),i.stop.abort())},d=()=>o?.removeEventListener("abort",u);i.value.then(h=>(d(),r(h)),h=>(d(),a(h))),
o?.aborted?u():o?.addEventListener("abort",u,{once:!0})})}async function Le(t,e={}){if(he){let s=he[t];if(typeof s!=
"string")throw yt();return Uint8Array.from(atob(s),i=>i.charCodeAt(0)).buffer}let n=await kt(t,e);if(!n.ok)throw await xt(
n);return n.arrayBuffer()}var Nn=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;function se(t){return t.replace(Nn,e=>{let n=e.codePointAt(0)??
0;return n===10?"\\n":n===9?"\\t":n<256?"\\x"+n.toString(16).padStart(2,"0"):n<65536?"\\u"+n.toString(16).padStart(
4,"0"):"\\U"+n.toString(16).padStart(8,"0")})}function m(t,e={},...n){let s=document.createElement(t);return Mt(
s,e),T(s,...n),s}function ye(t,e={},...n){let s=document.createElementNS("http://www.w3.org/2000/svg",t);return Mt(
s,e),T(s,...n),s}function Mt(t,e){for(let[n,s]of Object.entries(e))typeof s=="function"?t.addEventListener(n,s):
typeof s=="string"?t.setAttribute(n,se(s)):typeof s=="number"?t.setAttribute(n,String(s)):s===!0&&t.setAttribute(
n,"")}function T(t,...e){t.replaceChildren(...e.filter(n=>n!=null&&n!==!1).map(n=>n instanceof Node?n:se(String(
n))))}function Ge(t,...e){let n=m("dialog",{"aria-label":t},m("h2",{},t),...e,m("div",{class:"controls"},m("form",{method:"\
dialog"},m("button",{},"close"))));n.addEventListener("close",()=>n.remove()),document.body.append(n),n.showModal()}
var On=[["W S","zoom in and out in time"],["A D","move in time"],["\u2190 \u2192","move in time"],["\u2191 \u2193",
"move over ranks"],["+ \u2212","fewer, more ranks"],["X","classes of ranks; unfold, fold them"],["0","the whol\
e run"],["F","look at the selection"],["[ ]","previous, next iteration"],["O","next outlier iteration"],["/","\
search"],["U, Ctrl+Z","undo (also: back)"],["Shift+U, Ctrl+Y","redo"],["Esc","select everything again"],["M","\
messages on, off"],["C","copy as command"],["E","export"],["T","dark, light"],["1 \u2026 9","the panels"],["wh\
eel","zoom in time; Shift: move; Alt: ranks"],["drag","select time and ranks; Shift: move"],["click","select a\
 rank, or show a call; Ctrl: more ranks"],["double click","look at the selection"]];function Ze(){Ge("Keys and\
 mouse",m("div",{class:"keys"},...On.flatMap(([t,e])=>[m("kbd",{},t),m("span",{},e)])),m("p",{},"All panels sh\
ow what is selected: ranks, functions, communicators, time and steps, in the words of the command line. Tables\
: arrow keys, Page Up and Down, Home, End, and Enter to choose; Tab goes to the next part of the page."))}function Ae(t,e,n){
let s=m("textarea",{readonly:!0,rows:Math.min(8,Math.ceil(e.length/80)+1),cols:84,"aria-label":t});s.value=e,navigator.
clipboard?.writeText(e).then(()=>n("copied: "+e),()=>{}),Ge(t,s),s.focus(),s.select()}function _t(t){Ge("Take \
along",...t.map(e=>m("p",{},m("button",{type:"button",click:()=>e.run()},e.text))))}function Qe(t,e){let n=URL.
createObjectURL(e);m("a",{href:n,download:t}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4)}function _e(t,e){if(t===0)return"0";let n=Number(t.toExponential(e-1).split("e")[1]);return n<-6||n>15?t.toPrecision(
e):t.toFixed(Math.max(0,e-1-n))}function x(t){let e=Math.abs(t);if(e<999.5)return(Number.isInteger(t)?String(t):
_e(t,3))+" ns";if(e<999500)return _e(t/1e3,3)+" us";if(e<9995e5)return _e(t/1e6,3)+" ms";if(e<11995e7)return _e(
t/1e9,3)+" s";if(e<72e11){let s=Math.round(t/1e9);return`${Math.trunc(s/60)} min ${Math.abs(s%60)} s`}let n=Math.
round(t/6e10);return`${Math.trunc(n/60)} h ${Math.abs(n%60)} min`}function A(t){if(Math.abs(t)<1024)return(Number.
isInteger(t)?String(t):_e(t,3))+" B";let e=0;for(t/=1024;Math.abs(t)>=1023.95&&e<5;e++)t/=1024;return`${t.toFixed(
1)} ${"KMGTPE"[e]}iB`}function y(t){return String(Math.round(t)).replace(/\B(?=(\d{3})+$)/g,",")}function F(t){
let e=100*t;return Number.isNaN(e)?"-":e>0&&e<.05?"<0.1%":e.toFixed(1)+"%"}function j(t,e){return t===1?"1 "+e:
y(t)+" "+e+(/(s|ch)$/.test(e)?"es":"s")}function ae(t,e){let n=Math.min(9,Math.max(0,2-Math.floor(Math.log10(Math.max(e,1)/1e9))));return(t/1e9).toFixed(
n)+" s"}function z(t,e=[]){let n={};for(let[s,i]of Object.entries(t.selection))e.includes(s)||(n[s]=i);return n}function X(t){
return JSON.stringify(t.selection)}function ue(t){return t instanceof ee?t.message:`This page failed: ${t instanceof
Error?t.message:String(t)}`}function Hn(t){return t instanceof ee&&(t.status===409||t.status===404)}var $t=new WeakMap;
async function R(t,e,n=(s,i)=>T(t,m("p",{class:"pending",role:"status"},s),i&&m("button",{type:"button",click:vt},
"Work it out"))){$t.get(t)?.abort();let s=new AbortController;$t.set(t,s),t.setAttribute("aria-busy","true");let i=setTimeout(
()=>{s.signal.aborted||n("\u2026")},150),o=l=>{if(s.signal.aborted)return;if(clearTimeout(i),l.held)return t.removeAttribute(
"aria-busy"),n(l.what,!0);t.setAttribute("aria-busy","true");let r=l.total>0?`: ${y(l.done)} of ${y(l.total)}`:
l.done>0?`: ${y(l.done)}`:"";n(l.what+r+" \u2026")};try{let l=await e(s.signal,o);s.signal.aborted||T(t,...l)}catch(l){
s.signal.aborted||T(t,m("p",{class:Hn(l)?"empty":"failed",role:"status"},ue(l)))}clearTimeout(i),s.signal.aborted||
t.removeAttribute("aria-busy")}function C(t,e,n,s){return B(t,e,{signal:n,pending:s})}function Dn(t){let e=(t.
file??"").replace(/^.*\//,"");return t.line?`${e}:${t.line}`+(t.func?` [${t.func}]`:""):t.code?t.code:t.offset!==
void 0?`${e||t.func||"?"}+0x${t.offset.toString(16)}`:t.func??e}function le(t){return(t??[]).map(Dn).join(" < ")}
function W(t,e,n,s){let i=m("select",{change:o=>s(o.target.value)},...e.map(([o,l])=>m("option",{value:o,selected:o===
n},l)));return m("label",{},t,i)}var ie=["rank","function","comm","time","in","steps","step_loop"],jn={rank:"--rank",function:"--function",comm:"\
--comm",time:"--time",in:"--in",steps:"--steps",step_loop:"--step-loop"},fe={selection:{},panel:"sites",color:"\
activity",order:"rank",open:"",detail:""};function et(t){let e=new URLSearchParams;for(let n of ie)t.selection[n]&&
e.set(n,t.selection[n]);return t.view&&e.set("view",t.view.map(n=>String(Math.round(n))).join("_")),t.panel!==
fe.panel&&e.set("panel",t.panel),t.color!==fe.color&&e.set("color",t.color),t.order!==fe.order&&e.set("order",
t.order),t.open&&e.set("open",t.open),t.call&&e.set("call",t.call.join(".")),t.detail&&e.set("detail",t.detail),
e.toString()}function St(t,e){let n=(t??"").split(e).map(Number);if(!(n.length!==4||n.some(s=>!Number.isFinite(
s))))return n}function Tt(t){let e=new URLSearchParams(t.replace(/^#/,"")),n={...fe,selection:{}};for(let s of ie){
let i=e.get(s);i&&(n.selection[s]=i)}return n.view=St(e.get("view"),"_"),n.view&&(n.view[1]<=n.view[0]||n.view[3]<
1)&&(n.view=void 0),n.call=St(e.get("call"),"."),n.panel=e.get("panel")??fe.panel,n.color=e.get("color")??fe.color,
n.order=e.get("order")??fe.order,n.open=e.get("open")??"",n.detail=e.get("detail")??"",n}var Re=class{state=Tt(
location.hash);listeners=[];place=0;last=0;moved=0;late;constructor(){history.replaceState({place:0},""),addEventListener(
"popstate",e=>{let n=e.state?.place;n===void 0?history.replaceState({place:++this.place},""):this.place=n,this.
last=Math.max(this.last,this.place),this.moved=0,clearTimeout(this.late),this.late=void 0,this.enter(Tt(location.
hash))})}get now(){return this.state}listen(e){this.listeners.push(e)}set(e,n=!1){let s={...this.state,...e},i=et(
s);if(i===et(this.state))return;let o=n&&performance.now()-this.moved<800;this.moved=n?performance.now():0,o?this.
late??=setTimeout(()=>this.settle(),300):(this.settle(),this.last=++this.place,history.pushState({place:this.place},
"","#"+i)),this.enter(s)}settle(){this.late!==void 0&&(clearTimeout(this.late),this.late=void 0,history.replaceState(
{place:this.place},"","#"+et(this.state)))}select(e,n={}){let s={...this.state.selection,...e};for(let i of ie)
s[i]||delete s[i];this.set({...n,selection:s})}get link(){return this.settle(),location.href}undo(){this.settle(),
this.place>0&&history.back()}redo(){this.settle(),this.place<this.last&&history.forward()}enter(e){let n=this.
state;this.state=e;for(let s of this.listeners)s(e,n)}};function $e(t){return/^[\w@%+=:,./-]+$/.test(t)?t:"'"+
t.replaceAll("'","'\\''")+"'"}function Ne(t){return ie.filter(e=>t[e]).map(e=>`${jn[e]} ${$e(t[e]??"")}`).join(
" ")}function Oe(t){let e=[...new Set(t)].sort((s,i)=>s-i),n=[];for(let s=0;s<e.length;){let i=s;for(;i+1<e.length&&
e[i+1]===(e[i]??0)+1;)i++;n.push(s===i?String(e[s]):`${e[s]}-${e[i]}`),s=i+1}return n.join(",")}function Se(t,e){
return t?t.split(",").some(n=>{let[s,i]=n.split("-").map(Number);return s!==void 0&&e>=s&&e<=(i??s)}):!0}function He(t,e){
let n=s=>s.split(",").filter(i=>i!=="").map(i=>i.split("-").map(Number)).map(([i=NaN,o=i])=>[i,o]);return n(t).
some(([s,i])=>n(e).some(([o,l])=>s<=l&&o<=i))}function de(t,e,n,s=" of"){return m("div",{class:"figure"+s,title:n},m("dt",{},t),m("dd",{},e))}function Ct(t){
let e=m("section",{class:"verdict","aria-label":"Verdict"}),n="",s=()=>{let i=JSON.stringify(t.store.now.selection);
if(i===n)return;n=i;let o=t.overview;R(e,async(l,r)=>{let a;try{a=await C("report",z(t.store.now),l,r)}catch(f){
return[m("dl",{},...tt(o)),m("div",{class:"sentence"},ue(f))]}let u=a.efficiency,d=(a.ranks??[]).reduce((f,p)=>f+
p.end_ns-p.begin_ns,0),h=Object.values(a.waits??{}).reduce((f,p)=>f+p.time_ns,0),c=(a.groups??[]).reduce((f,p)=>f+
p.time_ns,0);return[m("dl",{},a.elapsed_ns!==void 0&&de("time",x(a.elapsed_ns),"from the first call after MPI_\
Init to the last before MPI_Finalize"),u&&de("parallel efficiency",F(u.parallel),"the part of the time of all \
ranks that is computation: load balance x communication efficiency"),u&&de("load balance",F(u.load_balance),"m\
ean computation of the ranks, by the greatest"),u&&de("communication eff.",F(u.communication),"the greatest co\
mputation of a rank, by the time of the run"),c>0&&d>0&&de("in calls",F(c/d),"of the time of all ranks"),a.waits&&
d>0&&de("waiting for others",F(h/d),"of the time of all ranks: in calls that could not go on since another ran\
k came late"),...tt(o)),m("div",{class:"sentence"},i==="{}"?"":"of what is selected")]},l=>{let r=e.querySelector(
".sentence");r?T(r,l):T(e,m("dl",{},...tt(o)),m("div",{class:"sentence"},l))})};return t.store.listen(s),s(),e}
function tt(t){return[de("ranks",y(t.processes)+(t.threads>t.processes?` (${j(t.threads,"thread")})`:""),j(t.hosts,
"host"),""),de("calls",y(t.calls),"in the whole recording","")]}function Pt(t){let e=t.banner,n=[];return t.timed||
n.push("No times of calls were recorded: there is no map. Record with --timing=lossy."),e.time_error_ns>0&&n.push(
`times are within ${x(e.time_error_ns)}`),e.clock_residual_ns>0&&n.push(`clocks of hosts agree within ${x(e.clock_residual_ns)}`),
e.unmeasured_clocks>0&&n.push(`the clocks of ${j(e.unmeasured_clocks,"host")} are not corrected`),e.unfinished_calls>
0&&n.push(`${j(e.unfinished_calls,"call")} did not return`),e.lost_calls>0&&n.push(`${j(e.lost_calls,"call")} \
were lost`),e.snapshot&&n.push(`the job was still running when this was taken (${e.snapshot})`),e.incomplete&&
n.push(e.incomplete),m("section",{class:"banner","aria-label":"What limits these numbers"},...n.map(s=>m("span",
{},s)))}function Bn(t){let e={},n="";for(let i=1;i<t.length;i++){let[o="",l]=(t[i]??"").split(/=(.*)/s),r=o.replace(
/^--/,"").replaceAll("-","_"),a=l??t[i+1]??"";if(ie.includes(r))e[r]=a;else if(r==="cause")n="causes,cause:"+a,
e.rank=a;else if(r==="kind")n="places,kind:"+a;else continue;l===void 0&&i++}let s={waits:"waits",messages:"me\
ssages",matrix:"matrix",loops:"loops",outliers:"outliers",histogram:"histogram",profile:"sites",report:"sites",
timeline:"sites"}[t[0]??""]??"sites";return{selection:e,panel:s,detail:n}}function Et(t){let e=m("ol",{class:"\
findings"}),n=m("h2",{},"Findings"),s="",i=l=>{let r=Bn(l.command??[]),a=r.selection,u=t.steps(),d=l.step>=0&&
(!u||l.step<u.total);d&&!a.steps&&(a.steps=String(l.step)),l.process>=0&&!a.rank&&(a.rank=String(l.process)),!Object.
keys(a).length&&l.func&&(a.function=l.func);let h=l.process>=0&&(l.command?.[0]==="dump"||["hang","deadlock","\
crash"].includes(l.kind));t.store.set({selection:a,panel:h?"call":r.panel,detail:r.detail,...h?{call:[0,l.process,
0,-1]}:{}}),a.steps&&d?dispatchEvent(new CustomEvent("jump",{detail:l.step})):l.step>=0&&u?.total&&t.overview.
grid&&t.look((u.begin_ns.at(-1)??0)+(u.length_ns.at(-1)??0),t.overview.grid.to_ns),t.say("selected: "+l.text)};
return s||(s="all",R(e,async(l,r)=>{let a=await C("report",{},l,r);return T(n,`Findings (${a.findings.length})`),
a.findings.length?a.findings.map(u=>m("li",{},m("button",{type:"button",title:u.text,click:()=>i(u)},m("span",
{class:"cost"},u.cost_ns>0?`${x(u.cost_ns)}, ${F(u.share)}`:""),m("span",{class:"kind"},u.kind),m("span",{class:"\
text short"},u.text)))):[m("li",{class:"empty"},"Nothing stands out: no finding concerns 1% of the time.")]})),
m("aside",{"aria-label":"Findings"},n,e)}var De=[4456788,4728952,4082057,3238030,2523790,2072201,3520377,7261784,11918891,16639781],q=[{key:"computatio\
n",name:"computation",light:14278114,dark:3752525},{key:"point_to_point",name:"point to point",light:29362,dark:29362},
{key:"wait",name:"wait",light:13983232,dark:13983232},{key:"collective",name:"collective",light:15113984,dark:15113984},
{key:"rma",name:"one-sided",light:13400487,dark:13400487},{key:"io",name:"files",light:40563,dark:40563},{key:"\
other_mpi",name:"other MPI",light:5682409,dark:5682409},{key:"lifecycle",name:"init and finalize",light:11782108,
dark:5071224},{key:"unselected",name:"not chosen",light:9081758,dark:9081758}],st=[["bytes_sent","bytes sent"],
["bytes_received","bytes received"],["messages_sent","messages sent"],["messages_received","messages received"]];
function me(t){return st.some(([e])=>e===t)}function je(t){return[t>>16,t>>8&255,t&255]}var Lt=new Map;function oe(t){
let e=Lt.get(t);return e===void 0&&Lt.set(t,e="#"+t.toString(16).padStart(6,"0")),e}var I=(()=>{let t=new Uint8Array(
768);for(let e=0;e<256;e++){let n=e/255*(De.length-1),s=Math.min(Math.trunc(n),De.length-2),i=je(De[s]??0),o=je(
De[s+1]??0);for(let l=0;l<3;l++)t[3*e+l]=Math.round((i[l]??0)*(1-(n-s))+(o[l]??0)*(n-s))}return t})(),At=matchMedia(
"(prefers-color-scheme: dark)"),nt=new Map,Rt;function Fn(){nt.clear(),Rt=void 0}addEventListener("themechange",
Fn);At.addEventListener("change",()=>dispatchEvent(new Event("themechange")));function J(){let t=document.documentElement.
dataset.theme;return Rt??=t?t==="dark":At.matches}function Y(t){let e=q[t]??q[0];return J()?e.dark:e.light}function S(t){
let e=nt.get(t);return e===void 0&&(e=getComputedStyle(document.documentElement).getPropertyValue("--"+t).trim(),
nt.set(t,e)),e}var it=16,zn=128,Be=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;asked=new Set;busy=new Set;failure;of(e,n,s,i,o){
for(let l=0;n+l<=i;l++){let r=this.piece(e,n+l,Math.floor(s/2**l),o,l===0),a=r?r.head.rows.findIndex(h=>h.class===
e.class):-1,u=r?.head.rows[a];if(!r||!u?.read)continue;let d=r.head.bins*3;return{level:n+l,x:Math.floor(s/2**
l),lines:u.lines,read:u.read,shares:r.cells.subarray(a*d,(a+1)*d)}}}piece(e,n,s,i,o){let l=Math.floor(e.class/
it)*it,r=Me("bands",{...i,rec:this.rec||void 0,level:n,x:s,first:l,rows:it});return o&&!this.asked.has(r)&&(this.
asked.add(r),this.pieces.get(r)?.head.exact||this.fetch(r)),this.pieces.get(r)}async fetch(e){if(this.busy.has(
e))return;this.busy.add(e);let n=this.pieces.get(e)??null;this.pieces.delete(e),this.pieces.set(e,n);for(let i of this.
pieces.keys()){if(this.pieces.size<=zn)break;this.pieces.delete(i)}let s=!1;try{let i=await Le(e),o=new DataView(
i).getUint32(0,!0),l=JSON.parse(new TextDecoder().decode(new Uint8Array(i,4,o)));this.pieces.has(e)&&this.pieces.
set(e,{head:l,cells:new Uint8Array(i,4+o)}),this.failure=void 0,s=!l.exact}catch(i){this.failure=i instanceof Error?
i.message:String(i)}setTimeout(()=>{this.busy.delete(e),s&&this.asked.has(e)&&this.fetch(e)},s?100:0),this.changed()}abandon(){
this.asked.clear()}};function Te(t){return q.some(e=>e.key===t)?t:"mpi"}function Ce(t){return q.find(e=>e.key===
t)?.name??"in calls"}function Ot(t,e,n,s){let i=e.shares.length/3,o=2**e.level,l=c=>s.x((e.x*i+c)*o),r=(c,f)=>s.
y+s.height-(e.shares[c*i+f]??0)/255*s.height,a=Math.max(0,Math.floor(Nt(l,i,s.left))),u=Math.min(i,Math.ceil(Nt(
l,i,s.right))+1);if(u<=a)return;let d=q.findIndex(c=>c.key===n),h=oe(d>0?Y(d):J()?5682409:29362);t.save(),t.beginPath(),
t.rect(s.left,s.y,s.right-s.left,s.height),t.clip(),t.fillStyle=h,t.globalAlpha=.35,t.beginPath();for(let c=a;c<
u;c++)ot(t,l(c),l(c+1),r(2,c),c===a);for(let c=u-1;c>=a;c--)ot(t,l(c+1),l(c),r(0,c),!1);t.closePath(),t.fill(),
t.globalAlpha=1,t.strokeStyle=S("ink"),t.lineWidth=1.4,t.beginPath();for(let c=a;c<u;c++)ot(t,l(c),l(c+1),r(1,
c),c===a);t.stroke(),t.restore()}function Nt(t,e,n){return(n-t(0))/(t(e)-t(0))*e}function ot(t,e,n,s,i){i?t.moveTo(
e,s):t.lineTo(e,s),t.lineTo(n,s)}function Fe(t){let e=j(t.lines,t.thread?"thread":"rank");return`class ${t.class}\
: ${e}`+(t.ranks&&t.lines>1?`, ${t.ranks}`:"")}var Ht=[["activity","activity"],["mpi","share in calls"],...q.slice(0,8).map(t=>[t.key,"share of "+t.name]),...U?
[]:st];function Dt(t,e){let n=m("div",{class:"legend",role:"list","aria-label":"Legend"}),s=()=>{let i=t.now.order===
"classes"&&!U?m("span",{class:"key",role:"listitem"},m("span",{class:"swatch band","aria-hidden":"true"}),`${Ce(
Te(t.now.color))}: least, median, greatest`):null;if(t.now.color==="activity"){T(n,i,...q.map((d,h)=>{if(!e.seen.
has(d.key))return null;let c=m("span",{class:"swatch","aria-hidden":"true"});return c.style.background=oe(Y(h)),
m("span",{class:"key",role:"listitem"},c,d.name)}));return}let o=m("canvas",{class:"ramp",width:256,height:1,"\
aria-hidden":"true"}),l=o.getContext("2d"),r=l?.createImageData(256,1);if(l&&r){for(let d=0;d<256;d++)r.data.set(
[I[3*d]??0,I[3*d+1]??0,I[3*d+2]??0,255],4*d);l.putImageData(r,0,0)}let a=t.now.color;if(!me(a))return T(n,m("s\
pan",{class:"key"},"0%",o,"100% of the time"),i);T(n,m("span",{class:"key",title:"The scale is logarithmic, ov\
er four powers of ten; where nothing is moved, the colour is that of 0."},"0",o,`${(d=>a.startsWith("bytes")?A(
d):y(d))(e.most)} a second and line`),i)};return t.listen((i,o)=>{(i.color!==o.color||i.order!==o.order)&&s()}),
e.element.addEventListener("seen",s),addEventListener("themechange",s),s(),n}var In=150;function jt(t,e,n,s,[i,o]){let l=new Set,r=[];for(let d of e)for(let h of d.arrows??[]){let c=`${h.
from}.${h.send}-${h.to}.${h.receive}`;l.has(c)||(l.add(c),!(n(h.end_ns)<i||n(h.begin_ns)>o||!s.has(h.from)&&!s.
has(h.to))&&r.push(h))}if(r.length>In)return;let a=S("line"),u=S("bad");for(let d of[!1,!0]){t.strokeStyle=d?u:
a,t.fillStyle=t.strokeStyle,t.lineWidth=d?1.6:1,t.beginPath();for(let h of r){if(h.wait_ns>0!==d)continue;let c=s.
get(h.from)??(s.get(h.to)??0)+(h.from<h.to?-2e3:2e3),f=s.get(h.to)??c+(h.to>h.from?2e3:-2e3),p=n(h.begin_ns),b=n(
h.end_ns);t.moveTo(p,c),t.lineTo(b,f);let g=Math.atan2(f-c,b-p);for(let M of[2.7,-2.7])t.moveTo(b,f),t.lineTo(
b+7*Math.cos(g+M),f+7*Math.sin(g+M));if(d){let M=n(h.end_ns-h.wait_ns);t.moveTo(M,f+4),t.lineTo(b,f+4),t.moveTo(
M,f+1),t.lineTo(M,f+7)}}t.stroke()}}var Kn=4e3,ze=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;arrowPieces=new Map;aligned(e,n){
let s=2**Math.ceil(Math.log2(Math.max(64,n-e)));return{length:s,first:Math.floor(e/s),last:Math.floor(n/s)}}of(e,n,s){
let{length:i,first:o,last:l}=this.aligned(n,s),r=[];for(let a=Math.max(0,o);a<=l;a++){let u={rec:this.rec||void 0,
rank:e.rank,thread:e.thread||void 0,world:e.world||void 0,t0:a*i,t1:(a+1)*i,max:Kn},d=JSON.stringify(u),h=this.
pieces.get(d);h?.lane?r.push(h.lane):h||this.ask(d,u)}return qn(r)}ask(e,n){let s={};if(this.pieces.set(e,s),B(
"lanes",n).then(i=>s.lane=i,()=>s.failed=!0).finally(()=>this.changed()),this.pieces.size>600)for(let i of[...this.
pieces.keys()].slice(0,200))this.pieces.delete(i)}arrows(e,n){let{length:s,first:i,last:o}=this.aligned(e,n),l=[];
for(let r=Math.max(0,i);r<=o;r++){let a={rec:this.rec||void 0,t0:r*s,t1:(r+1)*s,max:2e3},u=JSON.stringify(a),d=this.
arrowPieces.get(u);if(d?.arrows&&l.push(d.arrows),d)continue;let h={};if(this.arrowPieces.set(u,h),B("arrows",
a).then(c=>h.arrows=c,()=>h.failed=!0).finally(()=>this.changed()),this.arrowPieces.size>60)for(let c of[...this.
arrowPieces.keys()].slice(0,20))this.arrowPieces.delete(c)}return l}};function qn(t){let e=t[0];if(!e||t.length<
2)return t;let n=new Map,s=new Map,i=new Map,o=[],l=[],r=(a,u,d)=>{let h=a.get(u);a.set(u,h?{...h,start_ns:Math.
min(h.start_ns,d.start_ns),end_ns:Math.max(h.end_ns,d.end_ns)}:d)};for(let a of t){if(!a.calls?.length&&a.total>
0)return[];let u=(d,h)=>d<0?-1:d+h.length;for(let d of a.calls??[])n.set(d.index,{...d,site:u(d.site,o),kernel:u(
d.kernel,l)});for(let d of a.loops??[])r(s,`${d.level} ${d.iteration} ${d.name}`,d);for(let d of a.regions??[])
r(i,`${d.level} ${d.start_ns} ${d.name}`,d);o.push(...a.sites??[]),l.push(...a.kernels??[])}return[{...e,to_ns:t.
at(-1)?.to_ns??e.to_ns,total:n.size,calls:[...n.values()],loops:[...s.values()],regions:[...i.values()],sites:o,
kernels:l}]}var Un=new Map(q.map((t,e)=>[t.key,e]));function rt(t,e,n,s,i,o){if(i<24)return;t.fillStyle=o;let l=Math.
floor((i-6)/6.1);l<3||(e=se(e),t.fillText(e.length>l?e.slice(0,l-1)+"\u2026":e,n+3,s))}function Wn(t){return((t>>
16)*299+(t>>8&255)*587+(t&255)*114)/1e3>140}function Vn(t,e){if(!t)return!0;let n=!0;for(let s of t.split(",").
map(i=>i.trim().toLowerCase())){let i=s.startsWith("mpi_")||s.includes("*"),o=s.split("*").map(l=>l.replace(/[^\w]/g,
"\\$&")).join(".*");if(i&&new RegExp(`^${o}$`).test(e.toLowerCase()))return!0;n&&=i}return n?!1:void 0}function Bt(t,e,n,s){
let{y:i,height:o,x:l,left:r,right:a,chosen:u}=n,d=e.calls??[];if(!d.length&&e.total>0)return!1;let h=e.loops??
[],c=o>=26?Math.min(3,h.reduce((w,v)=>Math.max(w,v.level+1),0)):0,f=o>=26?(e.regions??[]).filter(w=>w.level<1):
[],p=c+(f.length?1:0)>0?Math.min(13,Math.floor(o*.5/(c+(f.length?1:0)))):0,b=i;t.font="10px ui-monospace, Deja\
Vu Sans Mono, monospace",t.textBaseline="middle",t.textAlign="left";for(let w of f){let v=Math.max(r,l(w.start_ns)),
_=Math.min(a,l(w.end_ns))-v;if(_<=0)continue;t.fillStyle=J()?"#2f5d50":"#bfe3d6",t.fillRect(v,b,_,p-1);let k=w.
times>1?`${w.name||"regions"} (${w.times} times)`:w.name;p>=10&&rt(t,k,v,b+p/2,_,J()?"#e8ecf1":"#1f2933"),s.push(
{x:v,width:_,y:b,height:p,line:e,region:k})}f.length&&(b+=p);for(let w of h){if(w.level>=c)continue;let v=Math.
max(r,l(w.start_ns)),_=Math.min(a,l(w.end_ns))-v;if(_<=0)continue;let k=b+w.level*p;t.fillStyle=J()?w.iteration%
2?"#3d4a63":"#4b5a78":w.iteration%2?"#c9d6ea":"#dbe4f2",t.fillRect(v,k,Math.max(.6,_-1),p-1);let L=(w.iteration===
w.last_iteration?`${w.iteration}`:`${w.iteration}-${w.last_iteration}`)+(w.step?" step":"")+"  "+w.name;p>=10&&
rt(t,L,v,k+p/2,_,J()?"#e8ecf1":"#1f2933"),s.push({x:v,width:_,y:k,height:p,line:e,loop:w})}b+=c*p;let g=i+o-b,
M=Math.max(r,l(e.from_ns)),N=Math.min(a,l(e.to_ns));if(d.length&&N>M){let w=Math.max(r,l(d[0]?.start_ns??e.from_ns)),
v=Math.min(a,l(d.at(-1)?.end_ns??e.to_ns));t.fillStyle=oe(Y(0)),t.fillRect(w,b,v-w,g)}for(let w of d){let v=Math.
max(r,l(w.start_ns)),_=Math.min(a,l(w.end_ns));if(_<r||v>a)continue;let k=Vn(n.functions,w.func)===!1?q.length-
1:Un.get(w.category)??6,K=Y(k),L=Math.max(.7,_-v),D=w.nested?g*.3:0;if(t.fillStyle=oe(K),t.fillRect(v,b+D,L>3?
L-.7:L,g-D),w.unfinished){t.fillStyle=J()?"#ffffff":"#000000";for(let Q=v;Q<_;Q+=8)t.fillRect(Q,b+g-3,4,2)}w.index===
u&&(t.strokeStyle=J()?"#ffffff":"#000000",t.lineWidth=2,t.strokeRect(v-1,b-1,L+2,g+2));let O=e.kernels?.[w.kernel],
Z=O?.short??w.func.replace(/^P?MPIX?_/,"");g>=10&&rt(t,Z,v,b+g/2,L,Wn(K)?"#111820":"#ffffff"),s.push({x:v,width:L,
y:b,height:g,line:e,call:w,site:e.sites?.[w.site],kernel:O})}return!0}var Pe=class t{total=0;runs=[];bands=[];static plain(e){let n=new t;return n.lines(0,e),n}static folded(e,n,s){
let i=new t,o=e.filter(u=>u.lines>1),l=o.reduce((u,d)=>u+(s.has(d.class)?0:d.lines),0),r=Math.max(2,Math.ceil(
(n-l)/3/Math.max(1,o.length))),a=0;for(let u of e)a=u.first+u.lines,u.lines>1&&(i.bands.push({at:i.total,height:r,
of:u,open:s.has(u.class)}),i.total+=r),(u.lines===1||s.has(u.class))&&i.lines(u.first,u.lines);return a<n&&i.lines(
a,n-a),i}lines(e,n){let s=this.runs.at(-1);s&&s.at+s.n===this.total&&s.first+s.n===e?s.n+=n:this.runs.push({at:this.
total,first:e,n}),this.total+=n}line(e){let n=this.runs.find(s=>e>=s.at&&e<s.at+s.n);return n&&n.first+Math.floor(
e-n.at)}band(e){return this.bands.find(n=>e>=n.at&&e<n.at+n.height)}};function ke(t){return new Set(t.split(",").
filter(e=>/^\d+$/.test(e)).map(Number))}var Xn=Float32Array.from({length:256},(t,e)=>Math.pow(e/255,2.2)),at=Uint8Array.from({length:4096},(t,e)=>Math.
round(255*Math.pow(e/4095,1/2.2))),Ft=256,Ie=class{constructor(e,n,s){this.rec=e;this.grid=n;this.changed=s}rec;grid;changed;tiles=new Map;asking=0;queue=new Map;clock=0;generation=new AbortController;drop(){
this.queue.clear()}abandon(){this.drop(),this.generation.abort(),this.generation=new AbortController}get busy(){
return this.asking>0||this.queue.size>0}address(e,n){return e.path??Me("tiles",{...n.params,rec:this.rec||void 0,
level:e.level,x:e.x,first:e.first,group:e.group,rows:e.rows})}tile(e,n,s=!0){let i=e.path??`${e.level}.${e.x}.${e.
first}.${e.group}.${e.rows}${n.key}`,o=this.tiles.get(i);if(o)return o.used=++this.clock,o.stale&&s&&this.enqueue(
i,e,n),o.head||o.error?o:void 0;s&&this.enqueue(i,e,n)}enqueue(e,n,s){this.queue.has(e)||(this.queue.set(e,this.
address(n,s)),queueMicrotask(()=>this.next()))}next(){for(;this.asking<4;){let[e]=this.queue;if(!e)return;this.
queue.delete(e[0]);let n=this.tiles.get(e[0]);(!n||n.stale)&&this.fetch(...e)}}async fetch(e,n){let s={pixels:new Map,
used:++this.clock},i=this.tiles.get(e);i?i.stale=!1:this.tiles.set(e,s),this.asking++;let{signal:o}=this.generation;
try{let l=await Le(n,{signal:o}),r=new DataView(l).getUint32(0,!0);s.head=JSON.parse(new TextDecoder().decode(
new Uint8Array(l,4,r))),me(s.head.value)?(s.values=new Float32Array(l.slice(4+r)),s.most=zt(s.head,s.values).reduce(
(a,u)=>Math.max(a,u),0)):s.cells=new Uint8Array(l,4+r),!s.head.exact&&(s.head.pending>0||!me(s.head.value))&&!U&&
setTimeout(()=>{s.stale=!0,this.changed()},700),this.tiles.set(e,s)}catch(l){o.aborted?i?i.stale=!0:this.tiles.
delete(e):(s.error=l instanceof Error?l.message:String(l),this.tiles.set(e,s))}this.asking--,this.trim(),this.
changed(),this.next()}trim(){if(this.tiles.size<=Ft)return;let e=[...this.tiles].filter(([,n])=>n.head||n.error).
sort((n,s)=>n[1].used-s[1].used);for(let[n]of e.slice(0,this.tiles.size-Ft))this.tiles.delete(n)}coarser(e,n){
for(let s=1;e.level+s<=this.grid.level;s++){let i={...e,level:e.level+s,x:Math.floor(e.x/2**s)},o=this.tile(i,
n,!1);if(o?.head)return{tile:o,place:i}}}};function zt(t,e){let n=t.categories.length,s=new Float32Array(t.bins*
t.rows.length);return t.rows.forEach((i,o)=>{let l=1e9/(2**t.level*Math.max(1,i.read));for(let r=o*t.bins;r<(o+
1)*t.bins;r++){let a=0;for(let u=0;u<n;u++)a+=e[r*n+u]??0;s[r]=a*l}}),s}function Jn(t,e){return t<=0?0:Math.max(
.04,Math.min(1,1+Math.log10(t/e)/4))}function Ke(t,e,n,s){if(!t.head||!t.cells&&!t.values)return;let i=e+(t.values?
"/"+n:"")+(J()?"/dark":""),o=t.pixels.get(i);if(o||!s())return o;let{bins:l,rows:r}=t.head,a=t.head.categories.
length,u=document.createElement("canvas");u.width=l,u.height=Math.max(1,r.length);let d=u.getContext("2d");if(!d)
return;let h=d.createImageData(l,Math.max(1,r.length)),c=t.head.categories.map(f=>q.findIndex(p=>p.key===f));if(t.
values)Gn(zt(t.head,t.values),h.data,n);else if(t.cells)e==="activity"?Yn(t.cells,h.data,a,c.map(f=>je(Y(f)))):
Zn(t.cells,h.data,a,t.head.categories.map(f=>e==="mpi"?f!=="computation":f===e));else return;return d.putImageData(
h,0,0),t.pixels.set(i,u),u}function Yn(t,e,n,s){let i=s.map(o=>o.map(l=>Xn[l]??0));for(let o=0,l=0;l<e.length;o+=
n,l+=4){let r=0,a=0,u=0,d=0;for(let h=0;h<n;h++){let c=t[o+h]??0;if(!c)continue;let f=i[h];f&&(r+=c*(f[0]??0),
a+=c*(f[1]??0),u+=c*(f[2]??0),d+=c)}d&&(e[l]=at[Math.round(r/d*4095)]??0,e[l+1]=at[Math.round(a/d*4095)]??0,e[l+
2]=at[Math.round(u/d*4095)]??0,e[l+3]=Math.min(255,d+2))}}function Gn(t,e,n){t.forEach((s,i)=>{let o=3*Math.round(
255*Jn(s,n));e[4*i]=I[o]??0,e[4*i+1]=I[o+1]??0,e[4*i+2]=I[o+2]??0,e[4*i+3]=255})}function Zn(t,e,n,s){for(let i=0,
o=0;o<e.length;i+=n,o+=4){let l=0,r=0;for(let u=0;u<n;u++){let d=t[i+u]??0;r+=d,s[u]&&(l+=d)}if(!r)continue;let a=3*
Math.min(255,Math.round(255*l/r));e[o]=I[a]??0,e[o+1]=I[a+1]??0,e[o+2]=I[a+2]??0,e[o+3]=255}}function It(t){return t.
first.map(e=>{let n=new URLSearchParams(e.replace(/^.*\?/,"")),s=i=>Number(n.get(i)??0);return{level:s("level"),
x:s("x"),first:s("first"),group:s("group")||1,rows:s("rows"),path:e}})}var Qn={ns:1,us:1e3,\u00B5s:1e3,ms:1e6,s:1e9,m:6e10,h:36e11};function qe(t,e,n){let s=t.trim();if(s.endsWith("\
%"))return e+(n-e)*Number(s.slice(0,-1))/100;if(s!==""&&Number.isFinite(Number(s)))return Number(s)*1e9;let i=0,
o=s;for(;o;){let l=/^([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/.exec(o);if(!l)return;i+=Number(l[1])*(Qn[l[2]??""]??NaN),
o=o.slice(l[0].length)}return s?i:void 0}function pe(t,e,n){if(!t)return;if(t.includes("..")){let[l="",r=""]=t.
split(".."),a=l.trim()?qe(l,e,n):e,u=r.trim()?qe(r,e,n):n;return a===void 0||u===void 0?void 0:[a,u]}let s=t.search(
/(?<![eE])\+/);if(s<1)return;let i=qe(t.slice(0,s),e,n),o=qe(t.slice(s+1),0,n-e);return i===void 0||o===void 0?
void 0:[i,i+o]}function be(t,e){let n=/^\s*(\d*)\s*(-|\.\.)?\s*(\d*)\s*$/.exec(t??"");if(!t||!n)return;let s=n[1]?
Number(n[1]):0;return[s,n[3]?Number(n[3]):n[2]?e-1:s]}function Ue(t,e){return`${Math.max(0,Math.floor(t))}ns..${Math.
ceil(e)}ns`}var P=78,E=34,es=44,ge=4096,xe=class t{constructor(e){this.o=e;this.grid=e.overview.grid,this.first=It(this.grid),
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
n)):Pe.plain(o)}}return this.laidOut.layout}folded(){if(this.classes||this.askedClasses||U)return this.classes;
this.askedClasses=!0,B("classes",{rec:this.o.rec||void 0}).then(e=>{this.classes=e.classes,this.draw()},e=>{this.
failure=e instanceof Error?e.message:String(e),this.draw()})}askedClasses=!1;get order(){let{order:e}=this.o.store.
now;return e==="rank"?void 0:e==="classes"?"class":e}look(e,n,s,i,o=!0){let l=this.grid,r=Math.max(200,Math.min(
n-e,(l.to_ns-l.from_ns)*1.02)),a=(e+n)/2;e=Math.max(l.from_ns-.01*(l.to_ns-l.from_ns),Math.min(a-r/2,l.to_ns*1.01-
r));let{total:u}=this.layout;i=Math.max(1,Math.min(u,i)),s=Math.max(0,Math.min(u-i,s));let d=e<=l.from_ns&&e+r>=
l.to_ns&&i===u;this.o.store.set({view:d?void 0:[this.shared(e),this.shared(e+r),s,i]},o)}zoom(e,n=this.pointer?.
x??P+this.plot/2){let[s,i,o,l]=this.view,r=this.timeAt(Math.max(P,n));this.look(r-(r-s)*e,r+(i-r)*e,o,l)}pan(e){
let[n,s,i,o]=this.view;this.look(n+e*(s-n),s+e*(s-n),i,o)}scroll(e){let[n,s,i,o]=this.view,l=Math.sign(e)*Math.
max(1,Math.round(Math.abs(e)*o));this.look(n,s,i+l,o)}zoomLines(e,n=this.pointer?.y??E+(this.height-E)/2){let[
s,i,o,l]=this.view,r=Math.max(1,Math.round(e>1?Math.max(l+1,l*e):Math.min(l-1,l*e))),a=this.lineAt(n);this.look(
s,i,Math.round(a-(a-o)*(r/l)),r)}get plot(){return Math.max(1,this.width-P)}get row(){return Math.min(es,(this.
height-E)/this.view[3])}x=e=>{let[n,s]=this.view;return P+(e-n)/(s-n)*this.plot};timeAt(e){let[n,s]=this.view;
return n+(e-P)/this.plot*(s-n)}lineAt(e){return this.view[2]+(e-E)/this.row}resize(){let e=this.element.getBoundingClientRect(),
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
now;e.save(),e.beginPath(),e.rect(P,E,this.plot,this.height-E),e.clip(),this.drawn=[],this.heads=[];let i=[this.
paintTiles(e,s),this.paintBands(e,s)].includes(!0),o=this.paintLanes(e,s);this.paintSelection(e,s.selection),o&&
this.messages&&this.paintArrows(e),e.restore(),this.paintAxis(e),this.paintNames(e),this.paintMarkers(e),this.
drag&&!this.drag.pan&&this.paintDrag(e),this.annotate(i)}annotate(e){let n=this.heads.reduce((a,u)=>Math.max(a,
u.head.exact?0:u.head.blur_ns),0),[s,i,o]=[0,0,0];for(let{place:a,bands:u}of this.drawnBands)i+=a.of.lines,s+=
u.length?Math.min(...u.map(d=>d.read)):0;for(let{head:a}of this.heads){o+=a.unsized??0;for(let u of a.rows)s+=
u.read,i+=u.threads}let l=this.failure??this.bands.failure;this.element.dataset.state=e||this.tiles.busy?"load\
ing":"ready";let r=l??(s<i?`not exact yet: ${F(s/i)} is read`:n?`not exact: means over stretches of ${x(n)}`:e&&
!i?"reading \u2026":o?`${j(o,"message")} of unknown size: receives count with the size of their buffers`:"");this.
note.textContent!==se(r)&&T(this.note,r)}failure;paintTiles(e,n){let[s,i,o,l]=this.view,r=(i-s)/this.plot,a=Math.
max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*r)))),u=1;for(;u*2*this.row<=2.01;)u*=2;let d=this.filter,
h=performance.now()+3,c=!1,f=()=>performance.now()<h||(c=!0,this.draw(),!1);this.failure=void 0,e.imageSmoothingEnabled=
!1;let[p]=this.first,b=p&&{...p,path:void 0},g=U||!b?void 0:{place:b,tile:this.tiles.tile(b,d)},M=!g||g.tile!==
void 0||n.view!==void 0,w=this.layout.runs.filter(v=>v.at<o+l&&v.at+v.n>o).map(v=>{let _=this.places(v,a,u);return{
run:v,places:_,known:_.map(k=>this.tiles.tile(k,d,M))}});this.rescale([g?.tile,...w.flatMap(v=>v.known)]);for(let{
run:v,places:_,known:k}of w){let K=E+(v.at-o)*this.row,L=v.at-v.first;if(e.save(),e.beginPath(),e.rect(P,K,this.
plot,v.n*this.row),e.clip(),g?.tile&&k.some(D=>!D?.head||D.head.rows.some(O=>O.read===0))){let D=Ke(g.tile,n.color,
this.most,f);D&&g.tile.head&&(this.see(g.tile.head,g.place),this.paintTile(e,D,g.place,g.place,L))}for(let[D,O]of _.
entries()){let Z=k[D];Z?.error&&(this.failure=Z.error),Z||(c=!0);let Q=Z&&Ke(Z,n.color,this.most,f);if(Q&&Z?.head){
this.see(Z.head,O),this.paintTile(e,Q,O,O,L);continue}let Ee=this.tiles.coarser(O,d);Q=Ee&&Ke(Ee.tile,n.color,
this.most,f),Ee&&Q&&this.paintTile(e,Q,Ee.place,O,L)}if(this.row>=5){e.fillStyle=S("paper");let D=Math.min(v.n,
Math.ceil(o+l-v.at));for(let O=Math.max(1,Math.floor(o-v.at));O<=D;O++)e.fillRect(P,Math.round(K+O*this.row)-1,
this.plot,1)}e.restore()}return c}places(e,n,s){let[i,o,l,r]=this.view;if(U){let f=[...new Set(this.first.map(
b=>b.level))].sort((b,g)=>g-b),p=f.find(b=>b<=n)??f.at(-1)??n;return this.first.filter(b=>b.level===p)}let a=64*
s,u=256*2**n,d=e.first+Math.max(0,Math.floor(l-e.at)),h=e.first+Math.min(e.n,Math.ceil(l+r-e.at)),c=[];for(let f=Math.
floor(d/a)*a;f<h;f+=a){let p=Math.min(64,Math.ceil((this.grid.lines-f)/s));for(let b=Math.max(0,Math.floor(i/u));b*
u<Math.min(o,this.grid.to_ns);b++)c.push({level:n,x:b,first:f,group:s,rows:p})}return c}paintBands(e,n){let[s,
i,o,l]=this.view,r=Math.max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*(i-s)/this.plot)))),a=256*2**r,u=Te(
n.color),{function:d,comm:h,in:c}=n.selection,f={function:d,comm:h,in:c,of:u==="mpi"?void 0:u},p=n.order==="cl\
asses"&&!this.classes&&!this.failure&&!U;this.drawnBands=[];for(let b of this.layout.bands){if(b.at>o+l||b.at+
b.height<o)continue;let g=E+(b.at-o)*this.row,M=b.height*this.row,N=M>=40,w=g+(N?17:1),v={x:this.x,left:P,right:this.
width,y:w,height:g+M-2-w},_=[];for(let L=Math.max(0,Math.floor(s/a));L*a<Math.min(i,this.grid.to_ns);L++){let D=this.
bands.of(b.of,r,L,this.grid.level,f);D?_.some(O=>O.level===D.level&&O.x===D.x)||_.push(D):p=!0}e.fillStyle=S("\
raised"),e.fillRect(P,g,this.plot,M-1);for(let L of _)Ot(e,L,u,v);if(this.drawnBands.push({place:b,bands:_}),!N)
continue;e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign="left",e.textBaseline="top";let k=`${Fe(
b.of)}: ${Ce(u)}, least to greatest, median`,K=se(k.length>140?k.slice(0,139)+"\u2026":k);e.fillStyle=S("ink"),
e.fillText(K,P+6,g+3)}return p}static rates=new Map;get most(){return 2**Math.ceil(Math.log2(Math.max(1,...t.rates.
values())))}rescale(e){let n=this.most;if(t.rates.set(this,Math.max(0,...e.map(s=>s?.most??0))),this.most!==n)
for(let s of t.rates.keys())s.element.dispatchEvent(new Event("seen")),s.draw()}see(e,n){if(this.heads.push({head:e,
place:n}),me(e.value))return;let s=this.seen.size;for(let i of e.rows)i.sum_ns.forEach((o,l)=>o>0&&this.seen.add(
e.categories[l]??""));this.seen.size>s&&this.element.dispatchEvent(new Event("seen"))}paintTile(e,n,s,i,o){let l=2**
(s.level-i.level),r=256/l,a=256*2**i.level,u=this.x(i.x*a),d=E+(s.first+o-this.view[2])*this.row,h=n.height;e.
drawImage(n,(i.x-s.x*l)*r,0,r,h,u,d,this.x((i.x+1)*a)-u,h*s.group*this.row)}get rate(){return this.o.overview.
calls/this.grid.lines/Math.max(1,this.grid.to_ns-this.grid.from_ns)}near(e){let{from_ns:n,to_ns:s}=this.grid,i=Math.
min((s-n)/2,30/this.rate);this.look((n+s)/2-i,(n+s)/2+i,0,e)}paintLanes(e,n){let[s,i,o,l]=this.view;if(this.row<
12||!this.o.overview.timed||U||n.color!=="activity"||this.rate*(i-s)>1500)return!1;let r=!1;for(let a=Math.floor(
o);a<Math.ceil(o+l);a++){let u=this.at(a);if(!u)continue;let d=E+(a-o)*this.row,h=n.call,c={y:d,height:this.row-
1,x:this.x,left:P,right:this.width,functions:n.selection.function,chosen:h&&h[0]===u.world&&h[1]===u.rank&&h[2]===
u.thread?h[3]:void 0};for(let f of this.lanes.of(u,s,i))r=Bt(e,f,c,this.drawn)||r}return r}paintArrows(e){let[
n,s,i,o]=this.view,l=new Map;for(let r=Math.floor(i);r<i+o;r++){let a=this.at(r);a&&a.thread===0&&l.set(a.rank,
E+(r-i+.5)*this.row)}jt(e,this.lanes.arrows(n,s),this.x,l,[P,this.width])}paintSelection(e,n){let{from_ns:s,to_ns:i}=this.
grid,[,,o,l]=this.view,r=S("veil"),a=pe(n.time,s,i),u=this.steps&&be(n.steps,this.steps.total),d=P,h=this.width;
if(a&&([d,h]=[this.x(this.own(a[0])),this.x(this.own(a[1]))]),u&&this.steps){let b=Math.min(this.steps.begin_ns.
length-1,Math.floor(u[0]/this.steps.stride)),g=Math.min(this.steps.begin_ns.length-1,Math.floor(u[1]/this.steps.
stride));d=Math.max(d,this.x(this.steps.begin_ns[b]??s)),h=Math.min(h,this.x((this.steps.begin_ns[g]??i)+(this.
steps.length_ns[g]??0)))}if(e.fillStyle=r,d>P&&e.fillRect(P,E,d-P,this.height),h<this.width&&e.fillRect(h,E,this.
width-h,this.height),(a||u)&&(e.fillStyle=S("accent"),e.fillRect(d-1,E,2,this.height),e.fillRect(h-1,E,2,this.
height)),!n.rank)return;e.fillStyle=r;let c=Math.max(P,d),f=Math.min(this.width,h)-c,p=Math.max(1,Math.floor(1/
this.row));for(let{place:b}of this.drawnBands)b.of.ranks&&!He(n.rank,b.of.ranks)&&e.fillRect(c,E+(b.at-o)*this.
row,f,b.height*this.row);for(let b=Math.floor(o);b<o+l;b+=p){let g=this.at(b);g&&!Se(n.rank,g.rank)&&e.fillRect(
c,E+(b-o)*this.row,f,Math.max(1,p*this.row))}}paintAxis(e){let[n,s]=this.view;e.fillStyle=S("faint"),e.strokeStyle=
S("rule"),e.lineWidth=1,e.font="11px system-ui, DejaVu Sans, sans-serif",e.textBaseline="alphabetic";let i=(s-
n)/this.plot*110,o=Ut(i);for(let l=Math.ceil(n/o)*o;l<=s;l+=o){let r=Math.round(this.x(l))+.5;if(r<P)continue;
e.beginPath(),e.moveTo(r,14),e.lineTo(r,18),e.stroke();let a=ae(l,o*10);r+e.measureText(a).width/2<this.width&&
(e.textAlign="center",e.fillText(a,Math.max(r,P+e.measureText(a).width/2),11))}this.paintSteps(e),e.strokeStyle=
S("rule"),e.beginPath(),e.moveTo(P,E-.5),e.lineTo(this.width,E-.5),e.stroke()}paintSteps(e){let n=this.steps;if(e.
textAlign="left",e.fillText(n?.begin_ns.length?"step":"",4,29),!n)return;let s=new Set((n.slow??[]).map(d=>Math.
floor(d.step/n.stride))),[i,o]=this.view,l=n.begin_ns.filter(d=>d>=i&&d<=o).length,r=Kt(l*n.stride*60/this.plot),
a=-1/0,u=-1/0;for(let d=0;d<n.begin_ns.length;d++){let h=Math.round(this.x(n.begin_ns[d]??0))+.5;if(h<P||h>this.
width)continue;let c=Math.ceil(d*n.stride/r)*r,f=c<(d+1)*n.stride&&h>=u;if(!f&&!s.has(d)&&h-a<4||(a=h,e.strokeStyle=
s.has(d)?S("bad"):S("rule"),e.beginPath(),e.moveTo(h,f?20:31),e.lineTo(h,E),e.stroke(),!f))continue;let p=String(
c);u=h+e.measureText(p).width+10,u<this.width&&e.fillText(p,h+2,29)}}paintNames(e){let[,,n,s]=this.view,i=Kt(13/
this.row);e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign="right",e.textBaseline="middle";let o=this.
o.store.now.selection.rank,l=-1/0;for(let{place:r}of this.drawnBands){let a=E+(r.at-n+r.height/2)*this.row;r.height*
this.row<12||a<E||a>this.height-4||(e.fillStyle=o&&He(o,r.of.ranks)?S("accent"):S("ink"),e.fillText(`${r.open?
"\u25BE":"\u25B8"} class ${r.of.class}`,P-6,a),!(r.height*this.row<56)&&(e.fillStyle=S("faint"),e.fillText("10\
0%",P-6,a-r.height*this.row/2+21),e.fillText("0%",P-6,a+r.height*this.row/2-8)))}for(let r of this.layout.runs){
let a=Math.max(0,Math.ceil((n-r.at)/i)*i);for(let u=a;u<r.n&&r.at+u<n+s;u+=i){let d=this.line(r.first+u);if(!d)
continue;let h=Math.max(E+(r.at+u-n+.5)*this.row,E+6);h>this.height-4||h<l||(l=h+12,e.fillStyle=o&&Se(o,d.rank)?
S("accent"):S("ink"),e.fillText(qt(d,i===1||u===0),P-6,h,P-8))}}}paintMarkers(e){for(let n of this.markers){let s=this.
yOfRank(n.rank),i=this.x(n.at);s===void 0||i<P||i>this.width||(e.fillStyle=S("bad"),e.strokeStyle=S("paper"),e.
beginPath(),e.moveTo(i,s),e.lineTo(i-5,s-9),e.lineTo(i+5,s-9),e.closePath(),e.fill(),e.stroke())}}at(e){let n=this.
layout.line(e);return n===void 0?void 0:this.line(n)}paintDrag(e){let n=this.drag;if(!n)return;e.strokeStyle=S(
"accent"),e.fillStyle=S("select");let s=Math.min(n.x,n.x1),i=Math.min(n.y,n.y1),o=[s,this.layout.total>1?i:E,Math.
abs(n.x1-n.x),this.layout.total>1?Math.abs(n.y1-n.y):this.height];e.fillRect(...o),e.strokeRect(...o)}line(e){
let n=this.order;n!==this.linesOrder&&(this.linesOrder=n,this.lines=new Map);let s=Math.floor(e/ge)*ge,i=this.
lines,o=i.get(s);if(o===void 0&&(i.set(s,null),B("lines",{rec:this.o.rec||void 0,order:n,first:s,count:ge}).then(
l=>{i.set(s,l),this.draw()},()=>{})),o)return o.lines[e-s];for(let{head:l,place:r}of this.heads){if(r.group!==
1)continue;let a=l.rows[e-r.first];if(a)return{rank:a.rank,world:a.world,thread:a.thread,host:"",class:0,calls:0}}}yOfRank(e){
let[,,n,s]=this.view;for(let o=Math.floor(n);o<n+s;o++){let l=this.at(o);if(l?.rank===e&&l.thread===0)return E+
(o-n+.5)*this.row}let i=this.drawnBands.find(({place:o})=>o.of.ranks&&Se(o.of.ranks,e));return i&&E+(i.place.at-
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
n,s),o=this.steps&&be(e.steps,this.steps.total);if(o&&this.steps){let u=Math.floor(o[0]/this.steps.stride),d=Math.
min(this.steps.begin_ns.length-1,Math.floor(o[1]/this.steps.stride));i??=[this.steps.begin_ns[u]??n,(this.steps.
begin_ns[d]??s)+(this.steps.length_ns[d]??0)]}let[l,r]=i??[n,s],a=i?(r-l)*.03:0;this.look(l-a,r+a,this.view[2],
this.view[3],!1)}async released(e,n){let s=this.o.store;if(Math.abs(e.x1-e.x)<4&&Math.abs(e.y1-e.y)<4){let u=this.
markers.find(p=>Math.abs(this.x(p.at)-e.x)<6&&Math.abs((this.yOfRank(p.rank)??-99)-5-e.y)<9);if(u)return u.choose();
let d=this.layout.band(this.lineAt(e.y));if(d&&e.y>=E)return this.chooseBand(d,e.x<P);let h=this.at(Math.floor(
this.lineAt(e.y))),c=this.hit(e.x,e.y);if(c?.call){let p=c.line;return s.set({call:[p.world,p.rank,p.thread,c.
call.index],panel:"call"})}if(c?.loop?.step&&c.loop.iteration===c.loop.last_iteration)return s.select({steps:String(
c.loop.iteration),time:""});if(!h||e.y<E)return;let f=s.now.selection.rank;return n&&f?s.select({rank:Se(f,h.rank)?
Oe(this.ranksIn(f).filter(p=>p!==h.rank)):Oe([...this.ranksIn(f),h.rank])}):s.select({rank:f===String(h.rank)?
"":String(h.rank)})}let i=Ue(this.shared(this.timeAt(Math.max(P,Math.min(e.x,e.x1)))),this.shared(this.timeAt(
Math.max(e.x,e.x1)))),o=Math.max(0,Math.floor(this.lineAt(Math.min(e.y,e.y1)))),{total:l}=this.layout,r=Math.min(
l-1,Math.floor(this.lineAt(Math.max(e.y,e.y1)))),a=o<=0&&r>=l-1||Math.abs(e.y1-e.y)<4||e.y<E;s.select({time:i,
steps:"",rank:a?s.now.selection.rank??"":await this.ranksOf(o,r)})}ranksIn(e){return e?e.split(",").flatMap(n=>{
let[s=0,i=s]=n.split("-").map(Number);return Array.from({length:i-s+1},(o,l)=>s+l)}):[]}unfold(){let e=this.o.
store,{order:n,open:s,selection:i,view:o}=e.now;if(n!=="classes")return e.set({order:"classes",view:lt(o)});let l=this.
layout.bands.filter(u=>!i.rank||He(i.rank,u.of.ranks)),r=ke(s),a=l.every(u=>u.open);for(let{of:u}of l)a?r.delete(
u.class):r.add(u.class);e.set({open:[...r].sort((u,d)=>u-d).join(","),view:lt(o)})}chooseBand(e,n){let s=this.
o.store;if(n)return ct(s,e.of.class);e.of.ranks&&s.select({rank:s.now.selection.rank===e.of.ranks?"":e.of.ranks})}async ranksOf(e,n){
let s=this.layout.bands.filter(i=>i.at<=n&&i.at+i.height>e).flatMap(i=>this.ranksIn(i.of.ranks));for(let i of this.
layout.runs){let o=i.first+Math.max(0,e-i.at),l=i.first+Math.min(i.n-1,n-i.at);for(let r=Math.floor(o/ge)*ge;r<=
l;r+=ge)(await B("lines",{rec:this.o.rec||void 0,order:this.order,first:r,count:ge})).lines.forEach((u,d)=>{r+
d>=o&&r+d<=l&&u.rank>=0&&s.push(u.rank)})}return Oe(s)}point(){let e=this.pointer;if(!e||e.x<P||e.y<E){this.tip.
hidden=!0;return}let n=this.timeAt(e.x),s=this.lineAt(e.y),i=this.layout.line(s),[o,l]=this.view,r=this.hit(e.
x,e.y),a=[],u=i===void 0?void 0:this.line(i);if(i===void 0)a.push(...this.aboutBand(s,n));else if(r?.call)a.push(
...ss(r,r.call));else if(r?.loop){let f=r.loop;a.push(m("b",{},`${f.step?"step":"iteration"} ${f.iteration}${f.
last_iteration>f.iteration?"-"+f.last_iteration:""} of ${f.of}`),m("div",{},f.name),m("div",{},x(f.end_ns-f.start_ns)))}else
r?.region?a.push(m("b",{},"region "+r.region)):a.push(...this.aboutCell(i,n));let d=this.markers.find(f=>Math.
abs(this.x(f.at)-e.x)<6&&Math.abs((this.yOfRank(f.rank)??-99)-5-e.y)<9);if(d&&a.unshift(m("b",{class:"bad"},d.
text)),!a.length){this.tip.hidden=!0;return}T(this.tip,m("div",{class:"where"},`${u?qt(u,!0):""}  at ${ae(n,l-
o)}`),...a),this.tip.hidden=!1;let h=this.tip.offsetWidth,c=this.tip.offsetHeight;this.tip.style.left=(e.x+16+
h>this.width?Math.max(0,e.x-h-12):e.x+16)+"px",this.tip.style.top=Math.max(0,Math.min(e.y+14,this.height-c-4))+
"px"}aboutBand(e,n){let s=this.drawnBands.find(o=>e>=o.place.at&&e<o.place.at+o.place.height);if(!s)return[];let i=Te(
this.o.store.now.color);for(let o of s.bands){let l=o.shares.length/3,r=Math.floor(n/2**o.level)-o.x*l;if(r<0||
r>=l)continue;let[a,u,d]=[0,1,2].map(h=>F((o.shares[h*l+r]??0)/255));return[m("b",{},Fe(s.place.of)),m("div",{},
`${Ce(i)}, in ${x(2**o.level)}:`),m("div",{},`least ${a}, median ${u}, greatest ${d}`),...o.read<o.lines?[m("d\
iv",{},`of ${y(o.read)} of ${j(o.lines,"thread")} so far`)]:[]]}return[m("b",{},Fe(s.place.of)),m("div",{},"no\
t read yet")]}aboutCell(e,n){for(let{head:s,place:i}of this.heads){let o=Math.floor((e-i.first)/i.group),l=Math.
floor(n/2**i.level)-i.x*256,r=s.rows[o];if(!r||l<0||l>255||e<i.first)continue;let a=this.tiles.tile(i,this.filter,
!1),u=s.categories.length;if(a?.values)return ts(s,r,a.values.subarray((o*256+l)*u,(o*256+l+1)*u));let d=a?.cells;
if(!d)continue;let h=s.categories.map((f,p)=>[d[(o*256+l)*u+p]??0,f]).filter(([f])=>f>0).sort((f,p)=>p[0]-f[0]),
c=r.threads>1?m("div",{},`mean of ${Wt(r)}`):null;return r.read===0?[m("div",{},"not read yet")]:[...c?[c]:[],
m("div",{},`mean of ${x(2**i.level)}`),...h.length?h.map(([f,p])=>m("div",{},`${F(f/255)} ${q.find(b=>b.key===
p)?.name??p}`)):[m("div",{},"nothing is known")]]}return[]}bandsDrawn(){let e=this.canvas.getBoundingClientRect();
return this.drawnBands.map(({place:n,bands:s})=>({x:e.x+P/2,y:e.y+E+(n.at-this.view[2]+n.height/2)*this.row,class:n.
of.class,read:s.length?Math.min(...s.map(i=>i.read)):0,lines:n.of.lines,open:n.open}))}callsDrawn(){let e=this.
canvas.getBoundingClientRect();return this.drawn.flatMap(n=>n.call?[{x:e.x+n.x+n.width/2,y:e.y+n.y+n.height/2,
width:n.width,func:n.call.func,index:n.call.index,rank:n.line.rank}]:[])}};function Ut(t){let e=10**Math.floor(
Math.log10(t));return[1,2,5,10].map(n=>n*e).find(n=>n>=t)??t}function Kt(t){return Ut(Math.max(1,t))}function ct(t,e){
let n=ke(t.now.open);n.delete(e)||n.add(e),t.set({order:"classes",open:[...n].sort((s,i)=>s-i).join(","),view:lt(
t.now.view)})}function lt(t){return t&&[t[0],t[1],0,1e9]}function qt(t,e){let n=(t.world?`w${t.world}:`:"")+(t.
rank<0?"?":t.rank);if(t.queue)return`${n} ${se(t.queue)}`;let s=n+(t.thread?"."+t.thread:"");return e&&!t.world&&
!t.thread?"rank "+s:s}function Wt(t){return`${j(t.threads,"thread")}: ranks ${t.rank} to ${t.last_rank}`}function ts(t,e,n){
if(e.read===0)return[m("div",{},"not read yet")];let s=t.value.replace("_"," "),i=l=>t.value.startsWith("bytes")?
A(l):y(l),o=t.categories.flatMap((l,r)=>n[r]?[m("div",{},`${i(n[r]??0)} ${ns[l]??l}`)]:[]);return[m("b",{},s),
...e.threads>1?[m("div",{},`sum of ${Wt(e)}`)]:[],m("div",{},`in ${x(2**t.level)}`),...o.length?o:[m("div",{},
"nothing")]]}var ns={p2p:"point to point",collective:"collective",rma:"one-sided",io:"files"};function ss(t,e){
let{site:n,kernel:s}=t;return[m("b",{},s?.short??e.func),m("div",{},`${x(e.end_ns-e.start_ns)}${e.unfinished?"\
, did not return":""}, call ${e.index}`),...n?[m("div",{class:"site"},n)]:[]]}function We(t){return t===null?"not known or not significant":Array.isArray(t)?"["+t.map(We).join(", ")+"]":typeof t==
"object"?"{"+Object.entries(t).map(([e,n])=>`${e}: ${We(n)}`).join(", ")+"}":String(t)}var Xt={id:"call",title:"\
Call",command:t=>t.call?["dump","--rank",String(t.call[1]),"--from",String(t.call[3]),"--limit","1"]:["dump"],
key:t=>String(t.call),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now.call;if(!i)return[m("p",{class:"empty"},
"Click a call in the map (zoom in until calls are drawn one by one), or choose one in a table.")];let[o,l,r]=i,
a={world:o||void 0,rank:l,thread:r||void 0},u=i[3];u<0&&(u+=(await C("calls",{...a,from:0,limit:1},n,s)).total);
let d=await C("calls",{...a,from:u,limit:1},n,s),h=d.calls[0];if(!h)return[m("p",{class:"empty"},`Rank ${l} ma\
de ${y(d.total)} calls: there is no call ${u}.`)];let c=d.kernels?.[h.index],f=h.flags?.includes("unfinished"),
p=h.start_ns,b=h.end_ns??p,g=v=>t.store.set({call:[o,l,r,v]}),M=()=>{if(p===void 0||b===void 0)return;let v=Math.
max(b-p,500);t.look(p-v,b+v,l)},N=m("div",{class:"controls"},m("b",{},c?.short??h.func),`rank ${o?`w${o}:`:""}${l}${d.
queue?", "+d.queue:r?", thread "+r:""}, call ${y(h.index)} of ${y(d.total)}`,m("button",{type:"button",disabled:u<=
0,click:()=>g(u-1)},"\u2190 previous"),m("button",{type:"button",disabled:u+1>=d.total,click:()=>g(u+1)},"next\
 \u2192"),m("button",{type:"button",disabled:p===void 0,click:M},"zoom to it"),m("button",{type:"button",click:()=>t.
store.select({function:h.func})},"select the function")),w=m("dl",{class:"call"});return p!==void 0&&b!==void 0&&
is(t,w,l,p,Math.max(b,p+1),h,n),[N,m("div",{class:"columns"},Vt([["call",h.func+(h.flags?.length?` (${h.flags.
join(", ")})`:"")],...c?[["its kernel",c.name]]:[],...Object.entries(h.in).map(([v,_])=>[v,We(_)]),...Object.entries(
h.out).map(([v,_])=>["\u2192 "+v,We(_)]),["returned",f?"no":h.error??String(h.ret)]]),Vt([["begin",p===void 0?
"not recorded":`${(p/1e9).toFixed(9)} s`],["duration",f||h.end_ns===void 0?"did not return":x(h.end_ns-(p??0))],
["call site",le(h.site?.slice(0,1))||"unknown"],...(h.site??[]).slice(1).map(v=>["called from",le([v])])]),m("\
div",{},m("h3",{},"Messages of this call"),w))]})}};function Vt(t){return m("dl",{class:"call"},...t.flatMap(([
e,n])=>[m("dt",{},e),m("dd",{},n)]))}async function is(t,e,n,s,i,o,l){let r=[];try{let a=await C("arrows",{t0:Math.
floor(s),t1:Math.ceil(i),max:5e3},l,()=>{});for(let u of a.arrows??[]){let d=u.from===n&&u.send===o.index,h=u.
to===n&&u.receive===o.index;if(!d&&!h)continue;let c=d?u.to:u.from;if(r.push(m("dt",{},d?"to":"from"),m("dd",{},
m("button",{type:"button",click:()=>t.call(0,c,0,d?u.receive:u.send)},`rank ${c}, call ${y(d?u.receive:u.send)}`),
` ${u.bytes>=0?A(u.bytes):"size unknown"}, tag ${u.tag}`,u.wait_ns>0&&m("span",{class:"bad"},h?`; waited ${x(u.
wait_ns)} for rank ${u.from}, which came late`:`; rank ${u.to} waited ${x(u.wait_ns)} for this`))),r.length>40)
break}}catch{}e.replaceChildren(...r.length?r:[m("dd",{},"none are known")])}var os=[["sizes","sizes of messages"],["durations","durations of calls"]],Yt={id:"histogram",title:"Histogram",
command:t=>["histogram",...t.detail==="durations"?["--durations"]:[]],key:t=>X(t)+(t.panel==="histogram"?t.detail:
""),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,o=i.detail==="durations"?"durations":"sizes",l=m("div",{class:"\
controls"},W("show ",os,o,a=>t.store.set({detail:a==="sizes"?"":a}))),r=[];if(o==="sizes"){let a=await C("hist\
ogram",z(i),n,s);for(let u of a.histograms)u.messages&&r.push(m("div",{},m("h3",{},`${u.kind==="p2p"?"point to\
 point":u.kind}: ${y(u.messages)} messages, ${A(u.bytes)}`),Jt(u.bins.map(d=>({label:d.from===d.to?A(d.from):`${A(
d.from)} to ${A(d.to)}`,value:d.messages,text:`${y(d.messages)} messages, ${A(d.bytes)}`})))))}else{let a=await C(
"report",z(i),n,s);for(let u of[...a.calls??[]].sort((d,h)=>h.mpi.sum_ns-d.mpi.sum_ns).slice(0,6))r.push(m("di\
v",{},m("h3",{title:u.site},`${u.func} @ ${u.site.split(" < ")[0]}: median ${x(u.durations.p50_ns)}`),Jt(rs(u.
durations.bins??[]).map(d=>({label:`${x(d.from_ns)} to ${x(d.to_ns)}`,value:d.count,text:`${y(d.count)} calls`})))))}
return[l,r.length?m("div",{class:"columns"},...r):m("p",{class:"empty"},"There is nothing of this kind in the \
selection.")]})}};function rs(t){let e=new Map;for(let n of t){let s=Math.floor(Math.log2(Math.max(1,n.from_ns))),
i=e.get(s);i?i.count+=n.count:e.set(s,{from_ns:2**s,to_ns:2**(s+1),count:n.count})}return[...e.values()]}function Jt(t){
let e=Math.max(1,...t.map(l=>l.value)),n=150,s=110,i=ye("svg",{width:n+s+170,height:t.length*18+4,role:"list"});
t.forEach((l,r)=>{let a=r*18;i.append(ye("g",{role:"listitem","aria-label":`${l.label}: ${l.text}`},ye("text",
{x:n-6,y:a+13,"text-anchor":"end"},l.label),ye("rect",{class:"value",x:n,y:a+3,width:Math.max(1,l.value/e*s),height:13}),
ye("text",{x:n+l.value/e*s+5,y:a+13},l.text)))});let o=m("div",{class:"chart"});return o.append(i),o}var as=20,Ve="functions:",Gt="";function ut(t,e=!1){return{name:t,value:0,calls:0,call:e,children:new Map}}function Zt(t,e,n=!1){
let s=t.children.get(e);return s||t.children.set(e,s=ut(e,n)),s}function ls(t,e){let n=ut(e?"time in calls":"c\
alls");for(let s of t.rows){let i=e?s.times?.total_ns??0:s.calls,o=[...s.site??[]].reverse().map(r=>r.func||(r.
file??"?").replace(/^.*\//,"")+(r.offset?"+0x"+r.offset.toString(16):"")),l=n;l.value+=i,l.calls+=s.calls;for(let r of[
...o,s.func??""])l=Zt(l,r,r===s.func&&r!==""),l.value+=i,l.calls+=s.calls}return n}function cs(t){let e=ut(t.timed?
"time in functions":"calls of functions"),n=[e];for(let s of t.places){n.length=s.depth+1;let i=Zt(n[s.depth]??
e,s.name),o=t.timed?s.own_ns:s.calls;for(let l of n)l.value+=o;i.value+=o,i.calls+=s.calls,n.push(i)}return e.
calls=t.places.reduce((s,i)=>s+i.calls,0),e}var Qt={id:"icicle",title:"Icicle",command:t=>t.detail.startsWith(
Ve)?["functions","--tree"]:["profile","--by","site"],key:t=>X(t)+(t.panel==="icicle"?t.detail:""),show:(t,e)=>{
R(e,async(n,s)=>{let i=t.store.now,o=i.detail.startsWith(Ve),l=o?Ve:"",r=t.overview.kinds.includes("functions")?
m("div",{class:"controls"},W("of ",[["","call sites"],[Ve,"functions"]],l,w=>t.store.set({detail:w}))):null,a,
u,d="";if(o){let w=await C("functions",{rank:i.selection.rank},n,s);u=w.timed,a=cs(w),w.complete||(d=" Not all\
 functions are shown: tabard functions --tree prints the rest."),Object.keys(i.selection).some(v=>v!=="rank")&&
(d+=" Of the selection only ranks count here: functions are of the whole run.")}else{let w=await C("profile",{
...z(i),by:"site"},n,s);u=w.time_ns!==void 0,a=ls(w,u)}if(!a.value)return[...r?[r]:[],m("p",{class:"empty"},"T\
here is nothing of this kind in the selection.")];let h=i.detail.slice(l.length).split(Gt).filter(Boolean),c=a;
for(let w of h)c=c.children.get(w)??c;let f=m("div",{class:"icicle",role:"tree","aria-label":"Functions by "+(u?
"time":"calls")}),p=Math.max(400,e.clientWidth-40),b=w=>`${w.name}: ${u?x(w.value):""} ${F(w.value/a.value)}, ${y(
w.calls)} calls`,g=0,M=(w,v,_,k)=>{let K=w.value/c.value*p;if(K<1.5||g++>3e3)return;let L=m("button",{type:"bu\
tton",role:"treeitem",title:b(w),"aria-label":b(w),click:()=>{w.call?t.store.select({function:w.name}):t.store.
set({detail:l+(w===c?k.slice(0,-1):k).join(Gt)})}},K>30?w.name:"");L.style.left=v+"px",L.style.top=_*as+"px",L.
style.width=Math.max(1,K-1)+"px",L.style.background=w.call?oe(Y(3)):oe(Y(q.findIndex(O=>O.key==="lifecycle"))),
w.call?L.style.color="#111820":L.style.color="inherit",f.append(L);let D=v;for(let O of[...w.children.values()].
sort((Z,Q)=>Q.value-Z.value))M(O,D,_+1,[...k,O.name]),D+=O.value/c.value*p};M(c,0,0,h);let N=o?u?"their time":
"the number of calls":u?"time in calls":"the number of calls";return[...r?[r]:[],m("p",{class:"empty"},`As wid\
e as ${N} of all selected ranks${o?"":"; orange: calls"}. A click unfolds, on the uppermost goes back.`+d),f]})}};var tn={id:"loops",title:"Loops",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.selection.function,
t.selection.step_loop,t.panel==="loops"?t.detail:""]),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,o=await C(
"loops",{rank:i.selection.rank,function:i.selection.function,step_loop:i.selection.step_loop},n,s),l=Math.max(
0,Math.min(o.classes.length-1,Number(i.detail)||0)),r=o.classes[l];if(!r)return[m("p",{class:"empty"},"No call\
s are selected.")];let a=m("div",{},m("p",{class:"empty"},"A loop, or all of a rank, as C: choose \u2018as C\u2019.")),
u=m("div",{class:"tree"},nn(r.body,r.blocks??[],0,t,d=>{en(a,r.blocks??[],d)}));return[m("div",{class:"control\
s"},W("ranks that do the same ",o.classes.map((d,h)=>[String(h),`${d.ranks||"?"}${d.thread?", thread "+d.thread:
""} (${y(d.calls)} calls)`]),String(l),d=>t.store.set({detail:d==="0"?"":d})),m("span",{},`${y(o.classes.length)}\
 ${o.classes.length===1?"class":"classes"}`),m("button",{type:"button",click:()=>{en(a,r.blocks??[])}},"all of\
 it as C")),m("div",{class:"columns"},u,a)]})}};function us(t){let e=t.site?.[0],n=le(e?[e]:[]);return e?.last_line&&
e.last_line!==e.line?n.replace(/:(\d+)/,`:$1-${e.last_line}`):n}function nn(t,e,n,s,i){let o=m("ul",{role:n?"g\
roup":"tree"});for(let l of t){let r=l.body??(l.block!==void 0?e[l.block]:void 0),a=l.min===l.max?y(l.min):`${y(
l.min)} to ${y(l.max)}`,u=m("li",{role:"treeitem"}),d=l.share_of_time!==void 0?F(l.share_of_time)+" of time":F(
l.share_of_calls)+" of calls",h=l.kind==="call"?`${a==="1"?"":a+" \xD7 "}${l.func}`:l.kind==="loop"?`loop, ${a}\
 times`:l.kind==="mixed"?"calls in no regular order":"block",c=(l.params??[]).filter(p=>/^(dest|source|count|sendcount|tag|root|comm)$/.
test(p.name)).map(p=>`${p.name} ${p.relation?"= "+p.relation:p.values.join(", ")+(p.more?", \u2026":"")}`).join(
"; "),f=m("span",{class:"node"+(l.time_step?" step":"")},l.kind==="call"?m("button",{type:"button",class:"text",
click:()=>s.store.select({function:l.func??""})},h):m("span",{},h),l.time_step&&m("span",{class:"bad"},"time s\
tep"),m("span",{class:"count"},d),m("span",{class:"params"},c),m("span",{class:"params",title:le(l.site)},us(l)),
l.kind==="loop"&&m("button",{type:"button",click:()=>i(l)},"as C"));if(r?.length&&n<40){let p,b=n<3,g=m("butto\
n",{type:"button",class:"toggle","aria-expanded":b?"true":"false","aria-label":"unfold "+h},b?"\u25BE":"\u25B8"),
M=N=>{g.setAttribute("aria-expanded",String(N)),T(g,N?"\u25BE":"\u25B8"),p?.remove(),p=void 0,N&&u.append(p=nn(
r,e,n+1,s,i))};g.addEventListener("click",()=>M(!p)),u.append(g,f),b&&M(!0)}else u.append(m("span",{class:"tog\
gle"}),f);o.append(u)}return o}function sn(t,e,n=0){if(t.func||n>40)return t.func;for(let s of t.body??(t.block!==
void 0?e[t.block]??[]:[])){let i=sn(s,e,n+1);if(i)return i}}async function en(t,e,n){T(t,m("p",{class:"pending"},
"writing C \u2026"));try{let s=n?.site?.[0],i=await B("code",{times:n?.max,call:n?sn(n,e):void 0}),o=i.text.split(
`
`),l=o.length>5e3?o.slice(0,5e3).join(`
`)+`
/* ${o.length-5e3} more lines: tabard proxy writes all */`:i.text;T(t,m("h3",{},`${i.title||(s?le([s]):"")} (${y(
i.lines)} lines)`),m("pre",{class:"code",tabindex:0}));let r=t.querySelector("pre");r&&(r.textContent=l.replace(
/[^\S\n\t ]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,"\uFFFD"));
for(let a of i.notes??[])t.append(m("p",{class:"empty"},a))}catch(s){T(t,m("p",{class:"failed"},ue(s)))}}var we=24;function H(t){if(!t.rows.length)return m("p",{class:"empty"},t.empty??"There is nothing of this kind\
 in the selection.");let e=t.rows,n=t.sort??-1,s=!1,i=Math.max(0,t.chosen?e.findIndex(t.chosen):0),o=m("tbody"),
l=m("tr",{"aria-rowindex":1}),r=m("table",{role:"grid","aria-label":t.label,"aria-rowcount":e.length+1},m("the\
ad",{},l),o),a=m("div",{class:"scroll",tabindex:-1},r);function u(){let g=t.columns[n]?.by;e=g?[...t.rows].sort(
(M,N)=>{let w=g(M),v=g(N);return(w<v?-1:w>v?1:0)*(s?1:-1)}):t.rows}function d(){T(l,...t.columns.map((g,M)=>m(
"th",{scope:"col",class:(g.number?"number":"")+(g.wide?" wide":""),title:g.help,"aria-sort":n===M?s?"ascending":
"descending":void 0},g.by?m("button",{type:"button",click:()=>{s=n===M?!s:!g.number,n=M,u(),d(),i=0,c()}},g.title+
(n===M?s?" \u25B4":" \u25BE":"")):g.title)))}function h(g){let M=m("tr",{"aria-hidden":"true"},m("td",{colspan:t.
columns.length,class:"spacer"}));return M.firstChild.style.height=g*we+"px",M}function c(g=!1){let M=Math.max(
0,Math.floor(a.scrollTop/we)-10),N=Math.min(e.length,M+Math.ceil((a.clientHeight||600)/we)+20),w=[];M>0&&w.push(
h(M));for(let v=M;v<N;v++){let _=e[v],k=m("tr",{"aria-rowindex":v+2,tabindex:v===i?0:-1,"data-row":v,"aria-sel\
ected":t.chosen?.(_)?"true":void 0},...t.columns.map(K=>m("td",{class:(K.number?"number":"")+(K.wide?" wide":"")},
K.cell(_))));w.push(k),g&&v===i&&queueMicrotask(()=>k.focus({preventScroll:!0}))}N<e.length&&w.push(h(e.length-
N)),o.replaceChildren(...w)}function f(g){i=Math.max(0,Math.min(e.length-1,g));let M=i*we;M<a.scrollTop?a.scrollTop=
M:M+2*we>a.scrollTop+a.clientHeight&&(a.scrollTop=M+2*we-a.clientHeight),c(!0)}function p(g){let M=e[g];M===void 0||
!t.choose||(i=g,t.choose(M))}r.addEventListener("click",g=>{let M=g.target.closest("tr[data-row]");M&&!g.target.
closest("button, a")&&p(Number(M.dataset.row))}),r.addEventListener("keydown",g=>{if(!g.target.closest("tbody"))
return;let M=Math.max(1,Math.floor(a.clientHeight/we)-2),N={ArrowDown:i+1,ArrowUp:i-1,PageDown:i+M,PageUp:i-M,
Home:0,End:e.length-1}[g.key];if(N!==void 0)f(N);else if(g.key==="Enter"||g.key===" ")p(i);else return;g.preventDefault(),
g.stopPropagation()});let b=!1;return a.addEventListener("scroll",()=>{b||(b=!0,requestAnimationFrame(()=>{b=!1,
c(o.contains(document.activeElement))}))}),t.choose&&r.classList.add("choosable"),u(),d(),requestAnimationFrame(
()=>c()),c(),a}function V(t,e,n="bar"){let s=m("span",{class:"fill "+n,"aria-hidden":"true"});return s.style.width=
Math.max(0,Math.min(100,t*100))+"%",m("span",{class:"bar"},s,m("span",{class:"value"},e))}var on=[["p2p","point to point"],["collective","collectives"],["rma","one-sided"],["all","all"]],rn=[["bytes",
"bytes"],["messages","messages"]];function dt(t){let[e="",n=""]=t.split(",");return[on.some(([s])=>s===e)?e:"p\
2p",rn.some(([s])=>s===n)?n:"bytes"]}var an={id:"matrix",title:"Matrix",command:t=>["matrix","--kind",dt(t.detail)[0]],
key:t=>JSON.stringify([t.selection,dt(t.detail)]),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,[o,l]=dt(i.detail),
r=await C("matrix",{...z(i),kind:o,bins:64},n,s),a=k=>r.columns.indexOf(k),[u,d,h,c]=[a("from"),a("to"),a("mes\
sages"),a("bytes")],f=r.cells??[],p=r.bins||r.processes,b=r.processes/p,g=k=>r.bins&&b>1?`${Math.ceil(k*b)}-${Math.
ceil((k+1)*b)-1}`:String(k),M=l==="bytes"?c:h,N=k=>l==="bytes"?A(k):l==="messages"?y(k):x(k),w=k=>{let K=[...new Set(
[k[u]??0,k[d]??0])].sort((L,D)=>L-D).map(g).join(",");t.store.select({rank:K})},v=ds(f,p,u,d,M,k=>k?`${g(k[u]??
0)} to ${g(k[d]??0)}: ${y(k[h]??0)} messages, ${A(k[c]??0)}`:"",w,N,Math.max(120,e.clientHeight-96)),_=r.totals[o];
return[m("div",{class:"controls"},W("messages ",on,o,k=>t.store.set({detail:`${k},${l}`})),W("colour ",rn,l,k=>t.
store.set({detail:`${o},${k}`})),_&&m("span",{},`${y(_.messages)} messages, ${A(_.bytes)}`+(_.nowhere?`; ${y(_.
nowhere)} to unknown partners`:"")),r.missing>0&&m("span",{class:"bad"},`${y(r.missing)} ranks are not selecte\
d or not recorded: what they send is not known`)),m("div",{class:"columns"},f.length?v:m("p",{class:"empty"},"\
No such messages in the selection."),m("div",{},H({label:"Messages by pairs of ranks",rows:f,sort:l==="bytes"?
3:2,choose:w,columns:[{title:r.bins&&b>1?"senders":"sender",number:!0,by:k=>k[u]??0,cell:k=>g(k[u]??0)},{title:r.
bins&&b>1?"receivers":"receiver",number:!0,by:k=>k[d]??0,cell:k=>g(k[d]??0)},{title:"messages",number:!0,by:k=>k[h]??
0,cell:k=>y(k[h]??0)},{title:"bytes",number:!0,by:k=>k[c]??0,cell:k=>A(k[c]??0)},{title:"mean size",number:!0,
by:k=>(k[c]??0)/(k[h]||1),cell:k=>A((k[c]??0)/(k[h]||1))}]})))]})}};function ds(t,e,n,s,i,o,l,r,a){let u=Math.
max(e,1),d=m("canvas",{width:u,height:u,role:"img","aria-label":"Senders from top to bottom, receivers from le\
ft to right. The table beside it has the same as text."}),h=Math.max(1,...t.map(v=>v[i]??0)),c=Math.min(...t.map(
v=>v[i]||1/0)),f=d.getContext("2d"),p=new Map;if(f){let v=f.createImageData(u,u);for(let _ of t){let[k,K,L]=[_[n]??
0,_[s]??0,_[i]??0];if(p.set(k*u+K,_),!L)continue;let D=h>c?Math.log(L/c)/Math.log(h/c):1,O=3*Math.round(255*Math.
max(0,Math.min(1,.06+.94*D)));v.data.set([I[O]??0,I[O+1]??0,I[O+2]??0,255],4*(k*u+K))}f.putImageData(v,0,0)}let b=m(
"p",{class:"under","aria-hidden":"true"},"rows send, columns receive"),g=Math.max(1,Math.min(28,Math.floor(a/u)));
d.style.width=g*u+"px",d.style.height=g*u+"px";let M=v=>p.get(Math.floor(v.offsetY/g)*u+Math.floor(v.offsetX/g));
d.addEventListener("pointermove",v=>T(b,o(M(v))||"rows send, columns receive")),d.addEventListener("click",v=>{
let _=M(v);_&&l(_)});let N=m("canvas",{class:"ramp",width:256,height:1,"aria-hidden":"true"}),w=N.getContext("\
2d");if(w){let v=w.createImageData(256,1);for(let _=0;_<256;_++)v.data.set([I[3*_]??0,I[3*_+1]??0,I[3*_+2]??0,
255],4*_);w.putImageData(v,0,0)}return m("div",{class:"narrow"},m("div",{class:"picture"},d),b,m("div",{class:"\
legend"},m("span",{class:"key"},Number.isFinite(c)?r(c):"",N,r(h))))}var te=78,G=74,ve=18,cn={id:"memory",title:"Memory",key:X,show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,{from_ns:o,
to_ns:l}=t.overview.grid??{from_ns:0,to_ns:1},r=pe(i.selection.time,o,l),a=r&&{t0:Math.max(0,Math.floor(r[0])),
t1:Math.ceil(r[1])},u=await C("inflight",{...z(i,["time"]),...a},n,s),d=u.rows.reduce((p,b)=>p+b.requests,0);if(!d)
return[m("p",{class:"empty"},"No request is in flight in the selection.")];let h=u.rows.reduce((p,b)=>p+b.unsized,
0),c=u.rows.reduce((p,b)=>p+b.open,0),f=u.rows.reduce((p,b)=>b.most_bytes>p.most_bytes?b:p);return[m("p",{class:"\
empty"},`Buffers of ${j(d,"request")}, from the call that begins an operation to the one that completes it. `+
(f.most_rank<0?"None of them binds anything in this time. ":`Most of one process: ${A(f.most_bytes)}, rank ${f.
most_rank} at ${ae(f.most_ns,u.to_ns-u.from_ns)}. `)+(c?`${j(c,"request")} never completed. `:"")+(h?`Not coun\
ted: ${j(h,"request")} of unknown size.`:"")),m("div",{class:"columns"},ms(t,u,Math.max(420,e.clientWidth/2-30)),
bs(t,u))]})}};function ms(t,e,n){let s=G+ve+Math.max(40,Math.min(140,e.rows.length*14)),i=m("canvas",{class:"i\
nflight",role:"img","aria-label":"Bytes in flight over time: above the sum of all ranks, below the most of a s\
ingle one in each row of ranks. The table beside it has the greatest ones. A click selects the time."}),o=devicePixelRatio||
1;i.width=Math.round(n*o),i.height=Math.round(s*o),i.style.width=n+"px",i.style.height=s+"px";let l=i.getContext(
"2d"),r=e.rows[0]?.mean_bytes.length??0,a=Array.from({length:r},(h,c)=>e.rows.reduce((f,p)=>f+(p.mean_bytes[c]??
0),0)),u=Math.max(1,...e.rows.map(h=>h.most_bytes));l&&(l.scale(o,o),hs(l,e,a,n),fs(l,e,u,n,s));let d=h=>Math.
max(0,Math.min(r-1,Math.floor((h-te)/(n-te)*r)));return i.addEventListener("pointermove",h=>{let c=d(h.offsetX),
f=e.from_ns+c*e.bin_ns,p=e.rows[Math.floor((h.offsetY-G-ve)/(s-G-ve)*e.rows.length)];i.title=`${ae(f,e.to_ns-e.
from_ns)}, mean of ${x(e.bin_ns)}: ${A(a[c]??0)} of all`+(p?`; most of one of ${ps(p)}: ${A(p.peak_bytes[c]??0)}`:
"")}),i.addEventListener("click",h=>{let c=e.from_ns+d(h.offsetX)*e.bin_ns;t.store.select({time:Ue(c,Math.min(
e.to_ns,c+e.bin_ns)),steps:""})}),m("div",{class:"chart"},i)}function hs(t,e,n,s){let i=Math.max(1,...n),o=(s-
te)/n.length;t.fillStyle=S("step"),n.forEach((l,r)=>{let a=l/i*(G-10);t.fillRect(te+r*o,G-a,Math.max(o,.6),a)}),
t.fillStyle=S("faint"),t.strokeStyle=S("rule"),t.font="11px system-ui, DejaVu Sans, sans-serif",t.textAlign="r\
ight",t.textBaseline="middle",t.fillText(A(Math.max(0,...n)),te-6,10),t.fillText("all",te-6,G-8),t.fillText(ae(
e.to_ns,e.to_ns-e.from_ns),s,G+ve/2),t.textAlign="left",t.fillText(ae(e.from_ns,e.to_ns-e.from_ns),te,G+ve/2),
t.beginPath(),t.moveTo(te,G+.5),t.lineTo(s,G+.5),t.stroke()}function fs(t,e,n,s,i){let o=(i-G-ve)/e.rows.length,
l=0;e.rows.forEach((r,a)=>{let u=G+ve+a*o,d=(s-te)/r.peak_bytes.length;r.peak_bytes.forEach((h,c)=>{let f=3*Math.
round(255*h/n);t.fillStyle=`rgb(${I[f]??0},${I[f+1]??0},${I[f+2]??0})`,t.fillRect(te+c*d,u,d+.5,o+(o<4?.5:-1))}),
!(u<l)&&(l=u+12,t.fillStyle=S("ink"),t.textAlign="right",t.fillText(r.processes>1?`${r.rank}\u2013${r.last_rank}`:
`rank ${r.rank}`,te-6,u+Math.max(o/2,5)))})}function ps(t){return t.processes>1?`ranks ${t.rank}-${t.last_rank}`:
`rank ${t.rank}`}function bs(t,e){let n=t.store.now,s=i=>i.processes>1?`${i.rank}-${i.last_rank}`:String(i.rank);
return H({label:"Memory of requests in flight",rows:e.rows,chosen:i=>n.selection.rank===s(i),choose:i=>t.store.
select({rank:n.selection.rank===s(i)?"":s(i)}),columns:[{title:"ranks",number:!0,by:i=>i.rank,cell:s},{title:"\
most of one",number:!0,by:i=>i.most_bytes,cell:i=>A(i.most_bytes),help:"the most that the buffers of one proce\
ss take at a moment"},{title:"rank",number:!0,by:i=>i.most_rank,cell:i=>i.most_rank<0?"":i.most_rank},{title:"\
at",number:!0,by:i=>i.most_ns,cell:i=>i.most_rank<0?"":ae(i.most_ns,e.to_ns-e.from_ns)},{title:"mean",number:!0,
by:i=>ln(e,i),cell:i=>A(ln(e,i)),help:"of the time that is shown, of all ranks of the row together"},{title:"r\
equests",number:!0,by:i=>i.requests,cell:i=>y(i.requests),help:"of the whole run"},{title:"never completed",number:!0,
by:i=>i.open,cell:i=>i.open?y(i.open):""},{title:"",wide:!0,cell:()=>""}]})}function ln(t,e){return e.mean_bytes.
reduce((s,i,o)=>s+i*(Math.min(t.to_ns,t.from_ns+(o+1)*t.bin_ns)-t.from_ns-o*t.bin_ns),0)/Math.max(1,t.to_ns-t.
from_ns)}var un={id:"messages",title:"Messages",command:()=>["messages"],key:t=>JSON.stringify(t.selection),show:(t,e)=>{
R(e,async(n,s)=>{let i=t.store.now,[o,l]=t.window(),r=await C("messages",z(i),n,s),a=await C("arrows",{t0:Math.
floor(o),t1:Math.ceil(l),max:1},n,s).catch(()=>null),u=m("div",{},m("h3",{},`${y(r.messages)} messages, ${A(r.
bytes)}; ${y(r.unmatched_sends)} were never received, ${y(r.unmatched_receives)} receives got none`+(r.incomplete.
length?`; ${y(r.incomplete.length)} collectives lack members`:"")),r.unmatched.length?H({label:"Messages witho\
ut a partner",rows:r.unmatched,choose:c=>t.call(0,c.first.process,0,c.first.call),columns:[{title:"what",by:c=>c.
kind,cell:c=>c.kind},{title:"count",number:!0,by:c=>c.count,cell:c=>y(c.count)},{title:"bytes",number:!0,by:c=>c.
bytes,cell:c=>A(c.bytes)},{title:"ranks",cell:c=>c.processes},{title:"peer",number:!0,cell:c=>c.first.peer??"a\
ny"},{title:"tag",number:!0,cell:c=>c.first.tag??"any"},{title:"why",by:c=>c.reason,cell:c=>c.reason},{title:"\
call",wide:!0,cell:c=>`${c.function} @ ${c.site}`}]}):m("p",{class:"empty"},"Every message has a sender and a \
receiver."),r.incomplete.length?H({label:"Collectives that not all members made",rows:r.incomplete,choose:c=>t.
store.select({function:c.function}),columns:[{title:"missing",number:!0,by:c=>c.missing,cell:c=>`${c.missing} \
of ${c.members}`},{title:"came",cell:c=>"ranks "+c.present},{title:"collective",wide:!0,cell:c=>`${c.function}\
 @ ${c.site}`}]}):null),d=m("div",{},m("h3",{},"To whom, as functions of the rank"),H({label:"Partners as func\
tions of the rank",rows:a?.formulas??[],sort:0,empty:"No partner follows from the rank here.",choose:c=>t.store.
select({function:c.func}),columns:[{title:"calls",number:!0,by:c=>c.calls,cell:c=>y(c.calls)},{title:"formula",
by:c=>c.text,cell:c=>m("code",{},c.text)},{title:"ranks",by:c=>c.ranks,cell:c=>c.ranks},{title:"call",wide:!0,
by:c=>c.func,cell:c=>m("span",{title:c.site},`${c.func} @ ${c.site}`)}]})),h=a?.bundles?.length?m("div",{class:"\
narrow"},m("h3",{},"Pairs of ranks"),H({label:"Messages by pairs of ranks",rows:a.bundles,sort:3,choose:c=>t.store.
select({rank:c.from===c.to?String(c.from):[c.from,c.to].sort((f,p)=>f-p).join(",")}),columns:[{title:"from",number:!0,
by:c=>c.from,cell:c=>c.from},{title:"to",number:!0,by:c=>c.to,cell:c=>c.to},{title:"messages",number:!0,by:c=>c.
messages,cell:c=>y(c.messages)},{title:"bytes",number:!0,by:c=>c.bytes,cell:c=>A(c.bytes)}]})):null;return[m("\
div",{class:"columns"},u,d,...h?[h]:[])]})}};var mn={id:"comms",title:"Communicators",command:()=>["info","--comms"],key:t=>String(t.selection.comm),show:(t,e)=>{
R(e,async(n,s)=>{let i=await C("comms",{},n,s);return[H({label:"Communicators",rows:i.communicators,chosen:o=>t.
store.now.selection.comm===String(o.id),choose:o=>t.store.select({comm:t.store.now.selection.comm===String(o.id)?
"":String(o.id)}),columns:[{title:"number",number:!0,by:o=>o.id,cell:o=>o.id},{title:"name",by:o=>o.name,cell:o=>o.
name+(o.labels?.length?` (${o.labels.join(", ")})`:"")},{title:"size",number:!0,by:o=>o.size,cell:o=>y(o.size)},
{title:"made",number:!0,by:o=>o.made,cell:o=>y(o.made)},{title:"freed",number:!0,by:o=>o.freed,cell:o=>y(o.freed)},
{title:"made by",by:o=>o.how,cell:o=>o.how},{title:"members",wide:!0,cell:o=>m("span",{title:o.members},o.members)},
{title:"where",wide:!0,by:o=>o.site??"",cell:o=>m("span",{title:o.site??""},o.site??"")}]})]})}},hn={id:"ranks",
title:"Ranks",command:()=>["report"],key:X,show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,l=(await C("report",
z(i,["rank"]),n,s)).ranks??[],r=Math.max(1,...l.map(a=>Math.max(a.mpi_ns,a.computation_ns)));return[H({label:"\
Ranks",rows:l,empty:"There are no times in the selection.",chosen:a=>i.selection.rank===String(a.process),choose:a=>t.
store.select({rank:i.selection.rank===String(a.process)?"":String(a.process)}),columns:[{title:"rank",number:!0,
by:a=>a.process,cell:a=>a.process},{title:"computation",number:!0,by:a=>a.computation_ns,cell:a=>V(a.computation_ns/
r,x(a.computation_ns))},{title:"in calls",number:!0,by:a=>a.mpi_ns,cell:a=>V(a.mpi_ns/r,x(a.mpi_ns),"warm")},{
title:"share in calls",number:!0,by:a=>a.mpi_ns/(a.mpi_ns+a.computation_ns||1),cell:a=>F(a.mpi_ns/(a.mpi_ns+a.
computation_ns||1))},{title:"calls",number:!0,by:a=>a.calls,cell:a=>y(a.calls)},{title:"begins",number:!0,by:a=>a.
begin_ns,cell:a=>x(a.begin_ns)},{title:"ends",number:!0,by:a=>a.end_ns,cell:a=>x(a.end_ns)},{title:"",wide:!0,
cell:()=>""}]})]})}},mt=(t,e=0)=>e/(t.lines||1),dn=(t,e,n,s)=>e===void 0?"":V(mt(t,e)/n,x(e),s),fn={id:"classe\
s",title:"Classes",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.order,t.open]),show:(t,e)=>{
R(e,async(n,s)=>{let i=t.store.now,o=await C("spent",{},n,s),l=ke(i.order==="classes"?i.open:""),r=o.total-o.classes.
length,a=Math.max(1,...o.classes.flatMap(u=>[mt(u,u.in_calls_ns),mt(u,u.computation_ns)]));return[m("h3",{},`${j(
o.total,"class")} of threads that made the same calls in the same order`+(r?`: the first ${o.classes.length}; \
the ranks of the others are rows of the map`:"")),H({label:"Classes",rows:o.classes,chosen:u=>!!i.selection.rank&&
i.selection.rank===u.ranks,choose:u=>{u.ranks&&t.store.select({rank:i.selection.rank===u.ranks?"":u.ranks})},columns:[
{title:"class",number:!0,by:u=>u.class,cell:u=>u.class},{title:"threads",number:!0,by:u=>u.lines,cell:u=>y(u.lines)},
{title:"thread",number:!0,by:u=>u.thread,cell:u=>u.thread},{title:"calls",number:!0,by:u=>u.calls,cell:u=>y(u.
calls)},{title:"computation",number:!0,by:u=>u.computation_ns??0,cell:u=>dn(u,u.computation_ns,a)},{title:"in \
calls",number:!0,by:u=>u.in_calls_ns??0,cell:u=>dn(u,u.in_calls_ns,a,"warm")},{title:"on the map",cell:u=>u.lines>
1?m("button",{type:"button","aria-expanded":String(l.has(u.class)),"aria-label":`unfold class ${u.class} on th\
e map`,click:()=>ct(t.store,u.class)},l.has(u.class)?"fold":"unfold"):""},{title:"ranks",wide:!0,cell:u=>m("sp\
an",{title:u.ranks},u.ranks||`${y(u.lines)} ranks: a list too long to show`)}]})]})}},pn={id:"steps",title:"St\
eps",command:()=>["report"],key:t=>JSON.stringify([t.selection.steps,t.selection.step_loop]),show:(t,e)=>{R(e,
async(n,s)=>{let i=t.store.now,o=await C("steps",{step_loop:i.selection.step_loop},n,s),l=new Map((o.slow??[]).
map(d=>[Math.floor(d.step/o.stride),d])),r=o.begin_ns.map((d,h)=>({i:h,begin:d,length:o.length_ns[h]??0,mean:o.
mean_ns[h]??0,work:o.computation_ns[h]??0,slow:l.get(h)})),a=Math.max(1,...r.map(d=>d.length)),u=d=>o.stride>1?
`${d*o.stride}-${Math.min(o.total,(d+1)*o.stride)-1}`:String(d);return[m("h3",{},`${y(o.total)} time steps${o.
loop?" of the loop at "+o.loop:o.region?" (region "+o.region+")":""}, median ${x(o.median_ns)}`),H({label:"Tim\
e steps",rows:r,empty:"No time steps were found.",chosen:d=>i.selection.steps===u(d.i),choose:d=>t.store.select(
{steps:i.selection.steps===u(d.i)?"":u(d.i),time:""}),columns:[{title:"step",number:!0,by:d=>d.i,cell:d=>u(d.i)},
{title:"begins",number:!0,by:d=>d.begin,cell:d=>`${(d.begin/1e9).toFixed(6)} s`},{title:"slowest rank",number:!0,
by:d=>d.length,cell:d=>V(d.length/a,x(d.length),d.slow?"warm":"bar")},{title:"mean",number:!0,by:d=>d.mean,cell:d=>x(
d.mean)},{title:"most computation",number:!0,by:d=>d.work,cell:d=>x(d.work)},{title:"too long by",number:!0,by:d=>d.
slow?.excess_ns??0,cell:d=>d.slow?x(d.slow.excess_ns):""},{title:"because of",wide:!0,by:d=>d.slow?.cause??"",
cell:d=>d.slow?`${d.slow.cause}${d.slow.process>=0?`, rank ${d.slow.process}`:""}`:""}]})]})}},bn={id:"outlier\
s",title:"Odd ranks",command:()=>["outliers"],key:X,show:(t,e)=>{R(e,async(n,s)=>{let i=await C("outliers",z(t.
store.now),n,s);return[H({label:"Ranks that did something else than the others",rows:i.outliers,empty:`All ran\
ks do what others do too (${y(i.variants.length)} ${i.variants.length===1?"variant":"variants"} of calls).`,choose:o=>{
let l=i.variants[o.variant]?.ranks??"",r=/^\d+/.exec(l)?.[0];t.store.select({rank:l}),r&&t.call(0,Number(r),0,
o.call)},columns:[{title:"ranks",by:o=>i.variants[o.variant]?.ranks??"",cell:o=>i.variants[o.variant]?.ranks??
""},{title:"like",cell:o=>i.variants[o.of]?`to ${i.variants[o.of]?.ranks}`:""},{title:"how",by:o=>o.kind,cell:o=>o.
kind},{title:"differences",number:!0,by:o=>o.differences,cell:o=>y(o.differences)},{title:"what",wide:!0,by:o=>o.
what,cell:o=>m("span",{title:o.what},o.what)}]})]})}},gn={id:"compare",title:"Compare",command:()=>["diff"],key:X,
show:(t,e)=>{R(e,async(n,s)=>{let i=await C("diff",z(t.store.now),n,s),o=i.times,l=Math.max(1,...(o?.sites??[]).
map(r=>Math.abs(r.b_ns-r.a_ns)));return[m("div",{class:"columns"},m("div",{},m("h3",{},i.same?"No differences \
in calls":`${y(i.total_differences)} differences in calls`),H({label:"Differences",rows:i.differences,empty:"B\
oth made the same calls.",choose:r=>{let a=r.loops?.find(d=>d.step),u=/^\d+/.exec(r.ranks)?.[0];t.store.select(
{rank:r.ranks,...a?{steps:String(a.iteration),time:""}:{}}),u&&!a&&t.call(r.world??0,Number(u),r.thread??0,r.call_a)},
columns:[{title:"kind",by:r=>r.kind,cell:r=>r.kind},{title:"ranks",by:r=>r.num_ranks,cell:r=>r.ranks},{title:"\
step",number:!0,by:r=>r.loops?.find(a=>a.step)?.iteration??-1,cell:r=>r.loops?.find(a=>a.step)?.iteration??""},
{title:"what",wide:!0,cell:r=>m("span",{title:r.text},r.text)}]})),m("div",{},m("h3",{},o?`time ${x(o.elapsed_a_ns)}\
 and ${x(o.elapsed_b_ns)}`:"no times"),o?H({label:"Time by call site in both",rows:o.sites,choose:r=>t.store.select(
{function:r.func}),columns:[{title:"second takes more",number:!0,by:r=>r.b_ns-r.a_ns,cell:r=>V(Math.abs(r.b_ns-
r.a_ns)/l,(r.b_ns>r.a_ns?"+":"")+x(r.b_ns-r.a_ns),r.b_ns>r.a_ns?"warm":"bar")},{title:"first",number:!0,by:r=>r.
a_ns,cell:r=>x(r.a_ns)},{title:"second",number:!0,by:r=>r.b_ns,cell:r=>x(r.b_ns)},{title:"call",wide:!0,by:r=>r.
func,cell:r=>m("span",{title:r.site??""},`${r.func} @ ${r.site??""}`)}]}):null),...i.notes?.length?[m("div",{class:"\
narrow"},...i.notes.map(r=>m("p",{class:"empty"},r)))]:[])]})}};var vn=[["site","call site"],["function","function"],["comm","communicator"],["rank","rank"]];function ht(t){return vn.
some(([e])=>e===t)?t:"site"}var yn={id:"sites",title:"Call sites",command:t=>["profile","--by",ht(t.detail)],key:t=>X(
t)+ht(t.detail),show:(t,e)=>{R(e,async(n,s)=>{let i=t.store.now,o=ht(i.detail),l=await C("profile",{...z(i),by:o},
n,s),r=c=>m("div",{class:"controls"},W("by ",vn,o,f=>t.store.set({detail:f==="site"?"":f})),m("span",{class:"n\
ote",role:"status"},c));if(o!=="site"||!t.overview.timed)return[r(""),Xe(t,l,null,o)];let a="waiting is worked\
 out \u2026",u=c=>{a=c,e.firstElementChild?.classList.contains("controls")&&T(e.firstElementChild.lastElementChild,
c)},d=C("waits",z(i),n,c=>u(c.held?"waiting is worked out on request: see Findings":`waiting is worked out: ${c.
what} \u2026`)).catch(()=>null),h=await Promise.race([d,new Promise(c=>setTimeout(()=>c(void 0),700))]);return h!==
void 0?[r(""),Xe(t,l,h,o)]:(d.then(c=>{n.aborted||T(e,r(c?"":"waiting is not known"),Xe(t,l,c,o))}),[r(a),Xe(t,
l,null,o)])})}};function Xe(t,e,n,s){let i=t.store.now,o=new Map,l=new Map;for(let c of n?.causes??[])wn(o,c.late.
func+" @ "+c.late.site,c.time_ns);for(let c of n?.waits??[])wn(l,c.waiting.func+" @ "+c.waiting.site,c.time_ns);
let r=e.rows.map(c=>{let f=le(c.site),p=`${c.func} @ ${f}`;return{...c,where:f,name:gs(c),caused:o.get(p)??0,waited:l.
get(p)??0}}),a=e.elapsed_ns??0,u=e.time_ns!==void 0,d=Math.max(1,...r.map(c=>c.times?.total_ns??0)),h=Math.max(
1,...r.map(c=>c.caused));return H({label:"Calls, by "+s,rows:r,sort:n||u?0:1,chosen:c=>s==="rank"?i.selection.
rank===String(c.rank):s==="comm"?i.selection.comm===String(c.comm?.id):!!c.func&&i.selection.function===c.func,
choose:c=>{s==="rank"?t.store.select({rank:i.selection.rank===String(c.rank)?"":String(c.rank)}):s==="comm"?t.
store.select({comm:i.selection.comm===String(c.comm?.id)?"":String(c.comm?.id)}):c.func&&t.store.select({function:i.
selection.function===c.func?"":c.func})},columns:[...n?[{title:"causes waiting",number:!0,by:c=>c.caused||c.waited/
1e9,help:"waiting of other ranks that goes back to ranks coming late to these calls",cell:c=>c.caused?V(c.caused/
h,x(c.caused),"warm"):""}]:[],...u?[{title:"time",number:!0,by:c=>c.times?.total_ns??0,cell:c=>V((c.times?.total_ns??
0)/d,x(c.times?.total_ns??0))},{title:"share",number:!0,by:c=>c.times?.total_ns??0,help:"of the time of all ra\
nks",cell:c=>F((c.times?.total_ns??0)/(s==="rank"?c.elapsed_ns||1:a||1))}]:[],...n?[{title:"waiting in it",number:!0,
by:c=>c.waited,cell:c=>c.waited?x(c.waited):""}]:[],{title:"calls",number:!0,by:c=>c.calls,cell:c=>y(c.calls)},
...u?[{title:"mean",number:!0,by:c=>c.times?.mean_ns??0,cell:c=>c.times?x(c.times.mean_ns):""},{title:"longest",
number:!0,by:c=>c.times?.max_ns??0,cell:c=>c.times?x(c.times.max_ns):""}]:[],{title:"bytes",number:!0,by:c=>c.
bytes,cell:c=>c.bytes?A(c.bytes):""},...s==="site"||s==="function"?[{title:"ranks",number:!0,by:c=>c.ranks,cell:c=>y(
c.ranks)}]:[],{title:s==="site"?"function":s,by:c=>s==="rank"?c.rank??0:c.name,cell:c=>c.name},...s==="site"?[
{title:"call site",wide:!0,by:c=>c.where,cell:c=>m("span",{title:c.where},c.where||"unknown")}]:[]]})}function gs(t){
return t.comm?t.comm.name:t.rank!==void 0?(t.world?`w${t.world}:`:"")+t.rank:t.func??""}function wn(t,e,n){t.set(
e,(t.get(e)??0)+n)}var xn=[["causes","causes"],["places","where they wait"],["ranks","ranks"],["steps","time steps"]];function kn(t){
let e={view:"causes"};for(let n of t.split(",")){let[s="",i]=n.split(":");s==="cause"&&i?e.cause=i:s==="kind"&&
i?e.kind=i:xn.some(([o])=>o===s)&&(e.view=s)}return e}function ws(t){return[t.view,t.cause&&"cause:"+t.cause,t.
kind&&"kind:"+t.kind].filter(Boolean).join(",")}var Mn={id:"waits",title:"Waits",command:t=>{let e=kn(t.detail);return["waits",...e.cause?["--cause",e.cause]:
[],...e.kind?["--kind",e.kind]:[]]},key:t=>JSON.stringify([t.selection,t.detail]),show:(t,e)=>{R(e,async(n,s)=>{
let i=t.store.now,o=kn(i.detail),l=z(i,o.cause?["rank"]:[]),r=await C("waits",{...l,cause:o.cause,kind:o.kind},
n,s),a=c=>t.store.set({detail:ws({...o,...c})}),u=Object.entries(r.kinds).filter(([,c])=>c.count>0).sort((c,f)=>f[1].
time_ns-c[1].time_ns),d=Math.max(1,...u.map(([,c])=>c.time_ns)),h=m("div",{class:"narrow"},m("h3",{},`${x(r.total.
time_ns)} in ${y(r.total.count)} waits, ${F(r.total.time_ns/(r.elapsed_ns||1))} of the time`),H({label:"Kinds \
of waits",rows:u,empty:"Nobody waits for anybody in the selection.",chosen:([c])=>o.kind===c.replaceAll(" ","-"),
choose:([c])=>a({kind:o.kind===c.replaceAll(" ","-")?"":c.replaceAll(" ","-")}),columns:[{title:"pattern",by:([
c])=>c,cell:([c])=>c},{title:"waits",number:!0,by:([,c])=>c.count,cell:([,c])=>y(c.count)},{title:"time",number:!0,
by:([,c])=>c.time_ns,cell:([,c])=>V(c.time_ns/d,x(c.time_ns),"warm")}]}));return[m("div",{class:"controls"},W(
"show ",xn,o.view,c=>a({view:c})),o.cause!==void 0&&m("span",{},`only what rank ${o.cause} causes `,m("button",
{type:"button",click:()=>a({cause:""})},"show all")),o.kind!==void 0&&m("span",{},`only ${o.kind.replaceAll("-",
" ")} `,m("button",{type:"button",click:()=>a({kind:""})},"show all"))),m("div",{class:"columns"},h,m("div",{},
vs(r,o.view,t)))]})}};function vs(t,e,n){let s=r=>n.store.select({steps:String(r),time:""}),i=(r,a=-1)=>n.store.
select(a>=0?{rank:String(r),steps:String(a),time:""}:{rank:String(r)},{detail:`causes,cause:${r}`}),o=r=>m("sp\
an",{title:r},r);if(e==="places"){let r=Math.max(1,...t.waits.map(a=>a.time_ns));return H({label:"Where ranks \
wait",rows:t.waits,choose:a=>n.store.select({function:a.waiting.func}),columns:[{title:"time",number:!0,by:a=>a.
time_ns,cell:a=>V(a.time_ns/r,x(a.time_ns),"warm")},{title:"waits",number:!0,by:a=>a.count,cell:a=>y(a.count)},
{title:"longest",number:!0,by:a=>a.max_ns,cell:a=>x(a.max_ns)},{title:"pattern",by:a=>a.kind,cell:a=>a.kind},{
title:"waiting most",by:a=>a.waiters?.[0]?.process??-1,cell:a=>a.waiters?.[0]?`rank ${a.waiters[0].process}`:""},
{title:"for",by:a=>a.causers?.[0]?.process??-1,cell:a=>a.causers?.[0]?`rank ${a.causers[0].process}`:""},{title:"\
waiting in",wide:!0,by:a=>a.waiting.site,cell:a=>o(`${a.waiting.func} @ ${a.waiting.site}`)},{title:"late in",
wide:!0,by:a=>a.late.site,cell:a=>o(`${a.late.func} @ ${a.late.site}`)}]})}if(e==="ranks"){let r=Math.max(1,...t.
processes.map(u=>u.root_ns)),a=u=>Object.values(u.waited_ns).reduce((d,h)=>d+h,0);return H({label:"Ranks by th\
e waiting that goes back to them",rows:t.processes,sort:1,choose:u=>i(u.process),columns:[{title:"rank",number:!0,
by:u=>u.process,cell:u=>u.process},{title:"goes back to it",number:!0,by:u=>u.root_ns,cell:u=>V(u.root_ns/r,x(
u.root_ns),"warm")},{title:"others wait for it",number:!0,by:u=>u.caused_ns,cell:u=>x(u.caused_ns)},{title:"it\
 waits",number:!0,by:a,cell:u=>x(a(u))},{title:"mostly",wide:!0,cell:u=>Object.entries(u.waited_ns).sort((d,h)=>h[1]-
d[1])[0]?.[0]??""}]})}if(e==="steps"){let r=Math.max(1,...t.steps.map(a=>a.time_ns));return H({label:"Waiting \
by time step",rows:t.steps,sort:1,empty:"No time steps were found.",choose:a=>s(a.step),columns:[{title:"step",
number:!0,by:a=>a.step,cell:a=>y(a.step)},{title:"waiting",number:!0,by:a=>a.time_ns,cell:a=>V(a.time_ns/r,x(a.
time_ns),"warm")},{title:"because of",number:!0,by:a=>a.cause_ns,cell:a=>a.cause>=0?x(a.cause_ns):""},{title:"\
mostly because",wide:!0,cell:a=>{let u=t.causes[a.cause];return u?o(`rank ${u.process} comes late to ${u.late.
func} @ ${u.late.site}`):""}}]})}let l=Math.max(1,...t.causes.map(r=>r.time_ns));return H({label:"Causes of wa\
iting",rows:t.causes,choose:r=>i(r.process,r.worst_step),columns:[{title:"waiting",number:!0,by:r=>r.time_ns,cell:r=>V(
r.time_ns/l,x(r.time_ns),"warm")},{title:"waits",number:!0,by:r=>r.waits,cell:r=>y(r.waits)},{title:"late rank",
number:!0,by:r=>r.process,cell:r=>r.process},{title:"worst step",number:!0,by:r=>r.worst_step,cell:r=>r.worst_step>=
0?`${y(r.worst_step)} (${x(r.worst_step_ns)})`:""},{title:"comes late to",wide:!0,by:r=>r.late.site,cell:r=>o(
`${r.late.func} @ ${r.late.site}`)}]})}function _n(t,e,n,s){let i=[n[0]],o=[s[0]],l=t&&e&&t.stride===e.stride?Math.min(t.begin_ns.length,e.begin_ns.length):
0;for(let r=0;r<l;r++){let a=t?.begin_ns[r]??0,u=e?.begin_ns[r]??0;a>(i.at(-1)??0)&&u>(o.at(-1)??0)&&(i.push(a),
o.push(u))}return i.push(Math.max(n[1],(i.at(-1)??0)+1)),o.push(Math.max(s[1],(o.at(-1)??0)+1)),r=>{let a=0,u=i.
length-2;for(;a<u;){let p=a+u+1>>1;(i[p]??0)<=r?a=p:u=p-1}let[d=0,h=1,c=0,f=1]=[i[a],i[a+1],o[a],o[a+1]];return c+
(r-d)/(h-d)*(f-c)}}async function ft(t,e,n,s,i){let o=await B("overview",{rec:1});if(!o.grid||!t.overview.grid)
return;let l=await B("steps",{rec:1}).catch(()=>{}),r=[t.overview.grid.from_ns,t.overview.grid.to_ns],a=[o.grid.
from_ns,o.grid.to_ns],u=new xe({rec:1,overview:o,store:t.store,own:_n(i,l,r,a),shared:_n(l,i,a,r)});u.element.
classList.add("second"),n.append(m("h2",{},`${o.name}: coupled with the first by ${i?.total&&l?.total?"iterati\
on":"time"}`),u.element),s.push(u),l&&u.setSteps(l),ks(t,e,u)}var ys=40;async function ks(t,e,n){let s=await B(
"diff").catch(()=>null);for(let i of s?.differences.slice(0,ys)??[]){let o=Number(/^\d+/.exec(i.ranks)?.[0]??-1);
if(o<0)continue;let l=i.loops?.find(a=>a.step),r=()=>t.store.select({rank:i.ranks,...l?{steps:String(l.iteration),
time:""}:{}},{panel:"compare"});for(let[a,u,d]of[[0,e,i.call_a],[1,n,i.call_b]]){let c=(await B("calls",{rec:a||
void 0,rank:o,thread:i.thread||void 0,from:d,limit:1}).catch(()=>null))?.calls[0]?.start_ns;c!==void 0&&(u.markers.
push({at:c,rank:o,text:i.text,choose:r}),u.draw())}}}function $n(t){let e=m("ul",{class:"hits",id:"hits",role:"listbox","aria-label":"What was found",hidden:!0}),n=m(
"input",{type:"search",placeholder:"search  ( / )","aria-label":"Search functions, call sites, ranks, values",
role:"combobox","aria-controls":"hits","aria-expanded":"false",autocomplete:"off",spellcheck:"false",disabled:U}),
s=[],i=-1,o=new AbortController,l=0;function r(){e.hidden=!0,n.setAttribute("aria-expanded","false"),i=-1}function a(){
[...e.children].forEach((h,c)=>{h.setAttribute("aria-selected",String(c===i)),c===i&&h.scrollIntoView({block:"\
nearest"})}),i>=0?n.setAttribute("aria-activedescendant",`hit${i}`):n.removeAttribute("aria-activedescendant")}
function u(h){r(),n.blur();let c={};for(let[f,p]of Object.entries(h.select??{}))ie.includes(f)&&(c[f]=p);t.store.
select(c),h.rank>=0&&["value","site","kernel"].includes(h.kind)&&t.call(0,h.rank,h.thread,h.call),t.say(`${h.kind}\
 ${h.text} selected`)}async function d(h){o.abort(),o=new AbortController;let c=o;if(!h)return r();e.hidden=!1,
n.setAttribute("aria-expanded","true");try{let f=await B("search",{q:h,limit:50},{signal:c.signal,pending:p=>T(
e,m("li",{},p.what+" \u2026"))});if(c.signal.aborted)return;s=f.hits??[],i=s.length?0:-1,T(e,...s.map((p,b)=>m(
"li",{role:"option",id:`hit${b}`,pointerdown:g=>{g.preventDefault(),u(p)}},m("span",{class:"kind"},p.kind),m("\
span",{class:"text",title:p.text},p.text),m("span",{},p.calls?y(p.calls):""))),s.length?null:m("li",{},"Nothin\
g is called that."),f.more?m("li",{class:"kind"},"There is more: write more of it."):null),a()}catch(f){c.signal.
aborted||T(e,m("li",{class:"bad"},f instanceof Error?f.message:String(f)))}}return n.addEventListener("input",
()=>{clearTimeout(l),l=setTimeout(()=>{d(n.value.trim())},120)}),n.addEventListener("blur",r),n.addEventListener(
"keydown",h=>{let c=s.length;if(h.key==="ArrowDown"&&c)i=(i+1)%c;else if(h.key==="ArrowUp"&&c)i=(i+c-1)%c;else if(h.
key==="Enter"&&s[i])u(s[i]);else if(h.key==="Escape")r(),n.blur();else return;h.preventDefault(),a()}),{element:m(
"div",{class:"search"},n,e),focus:()=>{n.focus(),n.select()}}}var re=54,ce=78,Je=class{constructor(e){this.store=e;this.element=m("div",{class:"strip"},this.canvas,this.tip),
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
n-1,Math.floor((e-ce)/(this.width-ce)*n)))}draw(){this.waiting||(this.waiting=!0,requestAnimationFrame(()=>{this.
waiting=!1,this.paint()}))}paint(){let e=this.steps;if(this.width=this.element.clientWidth,!e||!this.width)return;
let n=devicePixelRatio||1;this.canvas.width=this.width*n,this.canvas.height=re*n,this.canvas.style.width=this.
width+"px",this.canvas.style.height=re+"px";let s=this.canvas.getContext("2d");if(!s)return;s.setTransform(n,0,
0,n,0,0),s.fillStyle=S("paper"),s.fillRect(0,0,this.width,re);let i=e.length_ns.length;if(!i)return;let o=[...e.
length_ns].sort((c,f)=>c-f),l=Math.min(o[i-1]??1,Math.max((o[Math.floor(i*.99)]??1)*1.5,e.median_ns*4)),r=new Set(
(e.slow??[]).map(c=>Math.floor(c.step/e.stride))),a=be(this.store.now.selection.steps,e.total),u=this.width-ce,
d=c=>re-2-Math.min(1,c/l)*(re-8),h=u/i;for(let c=0;c<i;c++){let f=ce+c*h,p=e.length_ns[c]??0,b=a&&(c*e.stride+
e.stride-1<a[0]||c*e.stride>a[1]);s.globalAlpha=b?.35:1,s.fillStyle=r.has(c)?S("bad"):S("step");let g=Math.max(
h-(h>4?1:0),r.has(c)?2:.6);if(s.fillRect(f,d(p),g,re-d(p)),h>2){s.fillStyle=S("stepwork");let M=d(e.computation_ns[c]??
0);s.fillRect(f,M,g,re-M)}p>l&&(s.fillStyle=S("paper"),s.fillRect(f,10,g,2))}s.globalAlpha=1,s.strokeStyle=S("\
accent"),s.setLineDash([3,3]),s.beginPath(),s.moveTo(ce,d(e.median_ns)+.5),s.lineTo(this.width,d(e.median_ns)+
.5),s.stroke(),s.setLineDash([]),s.fillStyle=S("faint"),s.font="11px system-ui, DejaVu Sans, sans-serif",s.textAlign=
"right",s.fillText(x(l),ce-6,14),s.fillText("steps",ce-6,re-6),Math.abs(d(e.median_ns)-14)>14&&Math.abs(d(e.median_ns)-
re+6)>14&&s.fillText("median",ce-6,d(e.median_ns)+4),this.drag&&(s.fillStyle=S("select"),s.fillRect(Math.min(this.
drag.x,this.drag.x1),0,Math.abs(this.drag.x1-this.drag.x),re))}point(e){let n=this.steps;if(!n?.begin_ns.length||
e<ce){this.tip.hidden=!0;return}let s=this.at(e),i=(n.slow??[]).find(l=>Math.floor(l.step/n.stride)===s),o=s*n.
stride;T(this.tip,m("b",{},n.stride>1?`steps ${o}-${Math.min(n.total,o+n.stride)-1}`:`step ${o}`),m("div",{},`${x(
n.length_ns[s]??0)}, computation ${x(n.computation_ns[s]??0)}`),m("div",{},`median of all ${x(n.median_ns)}`),
i&&m("div",{class:"bad"},`${x(i.excess_ns)} too long: ${i.cause}${i.process>=0?`, rank ${i.process}`:""}`)),this.
tip.hidden=!1,this.tip.style.left=Math.min(e+12,this.width-this.tip.offsetWidth-4)+"px",this.tip.style.top="4p\
x"}};var $=new Re;async function xs(){let t;try{t=await B("overview")}catch(e){document.body.replaceChildren(m("p",
{class:"fatal",role:"alert"},ue(e)));return}document.title=se(t.name)+" - tabard",Ms(t)}function Ms(t){let e=m(
"span",{class:"status",role:"status"}),n=h=>T(e,h),s,i=[],o=()=>i[0],l=[t.grid?.from_ns??0,t.grid?.to_ns??1],r={
store:$,overview:t,say:n,steps:()=>s,look:(h,c)=>{let f=o();f&&f.look(h,c,f.view[2],f.view[3],!1)},call:(h,c,f,p)=>$.
set({call:[h,c,f,p],panel:"call"}),window:()=>pe($.now.selection.time,...l)??l},a=$n(r),u=[yn,Mn,Xt,un,an,tn,Qt,
Yt,cn,hn,fn,pn,mn,bn];t.recordings>1&&u.push(gn);let d=m("div",{class:"maps"});if(t.grid&&t.timed){let h=new Je(
$),c=new xe({rec:0,overview:t,store:$});i.push(c),d.append(m("div",{class:"bar-of-map"},Sn("colour ",Ht,"color",
f=>$.set({color:f})),Sn("rows ",_s(t.grid.orders),"order",f=>$.set({order:f,view:void 0})),Dt($,c)),h.element,
c.element),B("steps").then(f=>{if(s=f,!f.total)return h.none("No time steps were found in this run (see tabard\
 loops).");h.show(f),c.setSteps(f),t.recordings>1&&ft(r,c,d,i,f)},f=>{h.none(ue(f)),t.recordings>1&&ft(r,c,d,i,
void 0)})}else d.append(m("p",{class:"empty"},"This recording has no times of calls, so that there is no map. \
The tables below are complete."));document.body.replaceChildren(m("div",{},m("a",{href:"#panel",class:"skip",click:h=>{
h.preventDefault(),document.getElementById("panel")?.focus()}},"skip to the tables"),$s(t,a.element,r,u),Ct(r),
Ts(n),Pt(t)),m("main",{},d,Et(r)),Ps(),Cs(u,r),m("footer",{},e,m("span",{},t.version)));for(let h of document.
querySelectorAll(".panel"))h.id="panel";Rs(r,a.focus,i,u,l),addEventListener("jump",h=>{Ye(h.detail,r,l)}),Object.
assign(window,{tabard:{frames:()=>i.flatMap(h=>h.frames),first:()=>i[0]?.firstPicture??NaN,calls:()=>i[0]?.callsDrawn()??
[],bands:()=>i[0]?.bandsDrawn()??[],near:h=>i[0]?.near(h)}})}function _s(t){let e={rank:"ranks",class:"ranks b\
y class",host:"ranks by host"},n=t.map(s=>[s,e[s]??s]);return U?n:[...n,["classes","classes"]]}function Sn(t,e,n,s){
let i=W(t,e,$.now[n],s);return $.listen(o=>{let l=i.querySelector("select");l&&(l.value=o[n])}),i}function $s(t,e,n,s){
let i=(o,l,r)=>m("button",{type:"button",title:l,"aria-label":l,click:r},o);return m("header",{},m("h1",{title:t.
name},t.name),m("span",{class:"what",title:`${t.command.join(" ")}
${t.mpi}`},`${t.command.join(" ")} \u2014 ${j(t.hosts,"host")}, ${t.created.slice(0,16).replace("T"," ")}`),e,
i("\u21B6","Undo (U)",()=>$.undo()),i("\u21B7","Redo (Shift+U)",()=>$.redo()),i("copy as command","Copy as com\
mand (C)",()=>{Cn(n,s)}),i("export","Export the selection (E)",()=>Pn(n,s)),i("\u25D0","Dark or light (T)",Tn),
i("?","Help (?)",Ze))}function Tn(){let t=document.documentElement.dataset.theme??(matchMedia("(prefers-color-\
scheme: dark)").matches?"dark":"light");document.documentElement.dataset.theme=t==="dark"?"light":"dark",dispatchEvent(
new Event("themechange"))}var pt={rank:"ranks",function:"functions",comm:"communicator",time:"time",in:"region",
steps:"steps",step_loop:"step loop"},Ss={rank:"0,4-7",function:"p2p,MPI_Allreduce",comm:"0",time:"10%..30%",in:"\
solve",steps:"10-19",step_loop:"100"};function Ts(t){let e=new Map,n=m("section",{class:"selection","aria-labe\
l":"Selection"}),s=m("button",{type:"button",title:"Select everything (Esc)",click:()=>$.set({selection:{}})},
"clear");for(let o of ie){if(o==="step_loop")continue;let l=m("input",{placeholder:"all",title:`${pt[o]}, e.g.\
 ${Ss[o]}`,"aria-label":pt[o],spellcheck:"false",autocomplete:"off"});l.addEventListener("change",()=>$.select(
{[o]:l.value.trim()})),l.addEventListener("keydown",r=>{r.key==="Escape"&&l.blur()}),e.set(o,l),n.append(m("la\
bel",{class:o},pt[o],l))}n.append(s);let i=()=>{for(let[o,l]of e)l.value=$.now.selection[o]??"",l.classList.toggle(
"set",!!$.now.selection[o]);s.disabled=!Object.keys($.now.selection).length};return $.listen((o,l)=>{i(),o.selection!==
l.selection&&t(Object.keys(o.selection).length?"selected: "+Ne(o.selection):"everything is selected")}),i(),n}
function Cs(t,e){let n=m("div",{role:"tablist","aria-label":"Panels"}),s=m("div",{class:"panel",role:"tabpanel",
tabindex:-1}),i="",o=()=>t.find(u=>u.id===$.now.panel)??t[0],l=u=>$.set({panel:u.id,detail:""}),r=t.map(u=>m("\
button",{type:"button",role:"tab",id:"tab-"+u.id,click:()=>l(u)},u.title));n.append(...r),n.addEventListener("\
keydown",u=>{let d=t.indexOf(o()),h={ArrowRight:d+1,ArrowLeft:d-1,Home:0,End:t.length-1}[u.key],c=h===void 0?void 0:
t[(h+t.length)%t.length];c&&(u.preventDefault(),u.stopPropagation(),l(c),r[t.indexOf(c)]?.focus())});let a=()=>{
let u=o();t.forEach((c,f)=>{r[f]?.setAttribute("aria-selected",String(c===u)),r[f]?.setAttribute("tabindex",c===
u?"0":"-1")}),s.setAttribute("aria-labelledby","tab-"+u.id);let d=u.id+u.key($.now);if(d===i)return;let h=s.contains(
document.activeElement);i=d,u.show(e,s),h&&s.focus()};return $.listen(a),addEventListener("themechange",()=>{i=
"",a()}),a(),m("section",{class:"bottom","aria-label":"Panels"},n,s)}function Ps(){let t=m("button",{type:"but\
ton",class:"grip","aria-label":"Move the border between map and tables: up and down keys"}),e=n=>document.body.
style.setProperty("--bottom",Math.max(80,Math.min(innerHeight-330,n))+"px");return t.addEventListener("pointer\
down",n=>t.setPointerCapture(n.pointerId)),t.addEventListener("pointermove",n=>{t.hasPointerCapture(n.pointerId)&&
e(innerHeight-n.clientY-22)}),t.addEventListener("keydown",n=>{let s={ArrowUp:30,ArrowDown:-30}[n.key];s&&(n.stopPropagation(),
n.preventDefault(),e((document.querySelector(".bottom")?.clientHeight??264)+s))}),t}var Es={info:[],dump:[],functions:[
"rank"],outliers:["rank"],loops:["rank","function","step_loop"]};function Ls(t,e){let n=e.find(r=>r.id===$.now.
panel)??e[0];if(!n.command)return;let[s="report",...i]=n.command($.now),o=Es[s],l=Object.fromEntries(Object.entries(
$.now.selection).filter(([r])=>o?.includes(r)??!0));return["tabard",s,$e(t.overview.name),...i.map($e),Ne(l)].
filter(Boolean).join(" ")}async function Cn(t,e){let n=Ls(t,e);if(!n)return t.say("No command prints this pane\
l: E saves it as text.");Ae("The tabard line that prints the same",n,t.say)}function Pn(t,e){let n=t.overview.
name.replace(/\.tabard$/,""),s=e.find(i=>i.id===$.now.panel)??e[0];_t([{text:`save what \u201C${s.title}\u201D show\
s as text (.csv)`,run:()=>Qe(`${n}-${s.id}.csv`,new Blob([As()],{type:"text/csv"}))},{text:"save the picture o\
f the map (.png)",run:()=>document.querySelector(".map canvas")?.toBlob(i=>i&&Qe(`${n}.png`,i))},{text:"copy t\
he link to this view",run:()=>Ae("The link to this view",$.link,t.say)},{text:"copy the line that writes the s\
election in the format of another tool (here Perfetto)",run:()=>Ae("Export",["tabard export perfetto",$e(t.overview.
name),Ne($.now.selection)].filter(Boolean).join(" "),t.say)}])}function As(){let t=e=>{let n=(e.textContent??"").
trim(),s=/^[=+@\t\r-]/.test(n)&&!/^[-+]?[\d.]/.test(n)?"'"+n:n;return/[",\n]/.test(s)?'"'+s.replaceAll('"','""')+
'"':s};return[...document.querySelectorAll(".panel table")].map(e=>[...e.querySelectorAll("tr:not([aria-hidden\
])")].map(n=>[...n.children].map(t).join(",")).join(`
`)).join(`

`)+`
`}async function Ye(t,e,n){let s=e.steps();if(!s?.total)return e.say("No time steps were found in this run.");
t=Math.max(0,Math.min(s.total-1,t));let i=s.begin_ns[Math.floor(t/s.stride)]??n[0],o=i+(s.length_ns[Math.floor(
t/s.stride)]??0);if(!U)try{let a=await B("step",{k:t});[i,o]=[a.begin_ns,a.end_ns]}catch{}let l=$.now.view,r=Math.
max(1,o-i)*.04;$.select({steps:String(t),time:""},{view:[i-r,o+r,l?.[2]??0,l?.[3]??e.overview.grid?.lines??1]})}
function bt(t,e){let n=t.steps();if(!n)return 0;let s=be($.now.selection.steps,n.total);if(s)return s[0];let i=$.
now.view,o=i?(i[0]+i[1])/2:e[0],l=-1;for(let r of n.begin_ns){if(r>o)break;l++}return l*n.stride}function Rs(t,e,n,s,i){
let o=()=>{let a=[...t.steps()?.slow??[]].map(d=>d.step).sort((d,h)=>d-h);if(!a.length)return t.say("No time s\
tep takes unusually long.");let u=$.now.selection.steps?bt(t,i):-1;Ye(a.find(d=>d>u)??a[0]??0,t,i)},l=n[0],r={
w:()=>l?.zoom(.7),s:()=>l?.zoom(1/.7),a:()=>l?.pan(-.2),d:()=>l?.pan(.2),ArrowLeft:()=>l?.pan(-.2),ArrowRight:()=>l?.
pan(.2),ArrowUp:()=>l?.scroll(-.2),ArrowDown:()=>l?.scroll(.2),"+":()=>l?.zoomLines(.5),"=":()=>l?.zoomLines(.5),
"-":()=>l?.zoomLines(2),0:()=>$.set({view:void 0}),f:()=>l?.fit(),"[":()=>{Ye(bt(t,i)-1,t,i)},"]":()=>{Ye(bt(t,
i)+1,t,i)},o,"/":e,"?":Ze,x:()=>l?.unfold(),u:()=>$.undo(),U:()=>$.redo(),t:Tn,Escape:()=>$.set({selection:{}}),
m:()=>{for(let a of n)a.messages=!a.messages,a.draw();t.say(l?.messages?"messages are drawn":"messages are not\
 drawn")},c:()=>{Cn(t,s)},e:()=>Pn(t,s)};s.slice(0,9).forEach((a,u)=>r[String(u+1)]=()=>$.set({panel:a.id,detail:""})),
addEventListener("keydown",a=>{if(a.target.closest("input, textarea, select, dialog"))return;if((a.ctrlKey||a.
metaKey)&&!a.altKey){let h={z:()=>a.shiftKey?$.redo():$.undo(),Z:()=>$.redo(),y:()=>$.redo()}[a.key];return h?
(a.preventDefault(),h()):void 0}if(a.ctrlKey||a.metaKey||a.altKey)return;let d=r[a.key]??(a.key.length===1?r[a.
key.toLowerCase()]:void 0);d&&(a.preventDefault(),d())}),addEventListener("themechange",()=>n.forEach(a=>a.draw()))}
xs();})();
