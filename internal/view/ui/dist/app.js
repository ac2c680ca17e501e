"use strict";(()=>{var Z=class extends Error{constructor(n,s){super(s);this.status=n}status},me=(()=>{let t=document.getElementById(
"tabard-data");return t?JSON.parse(t.textContent??"{}").answers:null})(),q=me!==null;function _e(t,e={}){let n=Object.
keys(e).sort().filter(s=>e[s]!==void 0&&e[s]!=="").map(s=>`${encodeURIComponent(s)}=${encodeURIComponent(String(
e[s]))}`);return"/api/"+t+(n.length?"?"+n.join("&"):"")}var ee=new Map,$n=200;function Sn(t){let e=ee.get(t);ee.
delete(t);let n=e??Tn(t);ee.set(t,n);for(let s of ee.keys()){if(ee.size<=$n)break;ee.delete(s)}return n}function Tn(t){
let e=new AbortController,n=new Set,s=(async()=>{let o=await gt(t,{signal:e.signal,pending:l=>n.forEach(a=>a(l))});
if(!o.ok)throw await wt(o);return await o.json()})(),i={value:s,waiting:0,pending:n,stop:e};return s.catch(()=>ee.
get(t)===i&&ee.delete(t)),i}function bt(){return new Z(404,"This is not in this file: open the recording itsel\
f with tabard view.")}async function Cn(t){if(!me||!(t in me))throw bt();let e=me[t];if(typeof e=="object"&&e.
error)throw new Z(409,e.error);return e}async function gt(t,e){for(;;){let n;try{n=await fetch(t,{signal:e.signal??
null,credentials:"same-origin"})}catch(s){throw e.signal?.aborted?s:new Z(0,"The server does not answer: has t\
abard view ended? Start it again, and reload this page.")}if(n.status!==202)return n;if(e.pending?.(await n.json()),
await new Promise(s=>setTimeout(s,300)),e.signal?.aborted)throw new DOMException("aborted","AbortError")}}async function wt(t){
if(t.status===401||t.status===403)return new Z(t.status,"This page may not ask the server: open the address th\
at tabard view printed.");try{return new Z(t.status,(await t.json()).error)}catch{return new Z(t.status,`The s\
erver answered with status ${t.status}.`)}}function B(t,e={},n={}){let s=_e(t,e);if(me)return Cn(s);let i=Sn(s);
i.waiting++;let{signal:o,pending:l}=n;return l&&i.pending.add(l),new Promise((a,r)=>{let d=()=>{l&&i.pending.delete(
l),r(new DOMException("aborted","AbortError")),!(--i.waiting>0)&&(ee.get(s)===i&&ee.delete(s),i.stop.abort())},
u=()=>o?.removeEventListener("abort",d);i.value.then(h=>(u(),a(h)),h=>(u(),r(h))),o?.aborted?d():o?.addEventListener(
"abort",d,{once:!0})})}async function Ee(t,e={}){if(me){let s=me[t];if(typeof s!="string")throw bt();return Uint8Array.
from(atob(s),i=>i.charCodeAt(0)).buffer}let n=await gt(t,e);if(!n.ok)throw await wt(n);return n.arrayBuffer()}var Pn=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;function oe(t){return t.replace(Pn,e=>{let n=e.codePointAt(0)??
0;return n===10?"\\n":n===9?"\\t":n<256?"\\x"+n.toString(16).padStart(2,"0"):n<65536?"\\u"+n.toString(16).padStart(
4,"0"):"\\U"+n.toString(16).padStart(8,"0")})}function m(t,e={},...n){let s=document.createElement(t);return vt(
s,e),T(s,...n),s}function ye(t,e={},...n){let s=document.createElementNS("http://www.w3.org/2000/svg",t);return vt(
s,e),T(s,...n),s}function vt(t,e){for(let[n,s]of Object.entries(e))typeof s=="function"?t.addEventListener(n,s):
typeof s=="string"?t.setAttribute(n,oe(s)):typeof s=="number"?t.setAttribute(n,String(s)):s===!0&&t.setAttribute(
n,"")}function T(t,...e){t.replaceChildren(...e.filter(n=>n!=null&&n!==!1).map(n=>n instanceof Node?n:oe(String(
n))))}function Ye(t,...e){let n=m("dialog",{"aria-label":t},m("h2",{},t),...e,m("div",{class:"controls"},m("form",{method:"\
dialog"},m("button",{},"close"))));n.addEventListener("close",()=>n.remove()),document.body.append(n),n.showModal()}
var Ln=[["W S","zoom in and out in time"],["A D","move in time"],["\u2190 \u2192","move in time"],["\u2191 \u2193",
"move over ranks"],["+ \u2212","fewer, more ranks"],["X","classes of ranks; unfold, fold them"],["0","the whol\
e run"],["F","look at the selection"],["[ ]","previous, next iteration"],["O","next outlier iteration"],["/","\
search"],["U, Ctrl+Z","undo (also: back)"],["Shift+U, Ctrl+Y","redo"],["Esc","select everything again"],["M","\
messages on, off"],["C","copy as command"],["E","export"],["T","dark, light"],["1 \u2026 9","the panels"],["wh\
eel","zoom in time; Shift: move; Alt: ranks"],["drag","select time and ranks; Shift: move"],["click","select a\
 rank, or show a call; Ctrl: more ranks"],["double click","look at the selection"]];function Ge(){Ye("Keys and\
 mouse",m("div",{class:"keys"},...Ln.flatMap(([t,e])=>[m("kbd",{},t),m("span",{},e)])),m("p",{},"All panels sh\
ow what is selected: ranks, functions, communicators, time and steps, in the words of the command line. Tables\
: arrow keys, Page Up and Down, Home, End, and Enter to choose; Tab goes to the next part of the page."))}function Re(t,e,n){
let s=m("textarea",{readonly:!0,rows:Math.min(8,Math.ceil(e.length/80)+1),cols:84,"aria-label":t});s.value=e,navigator.
clipboard?.writeText(e).then(()=>n("copied: "+e),()=>{}),Ye(t,s),s.focus(),s.select()}function yt(t){Ye("Take \
along",...t.map(e=>m("p",{},m("button",{type:"button",click:()=>e.run()},e.text))))}function Ze(t,e){let n=URL.
createObjectURL(e);m("a",{href:n,download:t}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4)}function $e(t,e){if(t===0)return"0";let n=Number(t.toExponential(e-1).split("e")[1]);return n<-6||n>15?t.toPrecision(
e):t.toFixed(Math.max(0,e-1-n))}function x(t){let e=Math.abs(t);if(e<999.5)return(Number.isInteger(t)?String(t):
$e(t,3))+" ns";if(e<999500)return $e(t/1e3,3)+" us";if(e<9995e5)return $e(t/1e6,3)+" ms";if(e<11995e7)return $e(
t/1e9,3)+" s";if(e<72e11){let s=Math.round(t/1e9);return`${Math.trunc(s/60)} min ${Math.abs(s%60)} s`}let n=Math.
round(t/6e10);return`${Math.trunc(n/60)} h ${Math.abs(n%60)} min`}function E(t){if(Math.abs(t)<1024)return(Number.
isInteger(t)?String(t):$e(t,3))+" B";let e=0;for(t/=1024;Math.abs(t)>=1023.95&&e<5;e++)t/=1024;return`${t.toFixed(
1)} ${"KMGTPE"[e]}iB`}function k(t){return String(Math.round(t)).replace(/\B(?=(\d{3})+$)/g,",")}function F(t){
let e=100*t;return Number.isNaN(e)?"-":e>0&&e<.05?"<0.1%":e.toFixed(1)+"%"}function j(t,e){return t===1?"1 "+e:
k(t)+" "+e+(/(s|ch)$/.test(e)?"es":"s")}function re(t,e){let n=Math.min(9,Math.max(0,2-Math.floor(Math.log10(Math.max(e,1)/1e9))));return(t/1e9).toFixed(
n)+" s"}function z(t,e=[]){let n={};for(let[s,i]of Object.entries(t.selection))e.includes(s)||(n[s]=i);return n}function X(t){
return JSON.stringify(t.selection)}function ce(t){return t instanceof Z?t.message:`This page failed: ${t instanceof
Error?t.message:String(t)}`}function En(t){return t instanceof Z&&(t.status===409||t.status===404)}var kt=new WeakMap;
async function O(t,e,n=s=>T(t,m("p",{class:"pending",role:"status"},s))){kt.get(t)?.abort();let s=new AbortController;
kt.set(t,s),t.setAttribute("aria-busy","true");let i=setTimeout(()=>{s.signal.aborted||n("\u2026")},150),o=l=>{
if(s.signal.aborted)return;clearTimeout(i);let a=l.total>0?`: ${k(l.done)} of ${k(l.total)}`:l.done>0?`: ${k(l.
done)}`:"";n(l.what+a+" \u2026")};try{let l=await e(s.signal,o);s.signal.aborted||T(t,...l)}catch(l){s.signal.
aborted||T(t,m("p",{class:En(l)?"empty":"failed",role:"status"},ce(l)))}clearTimeout(i),s.signal.aborted||t.removeAttribute(
"aria-busy")}function C(t,e,n,s){return B(t,e,{signal:n,pending:s})}function Rn(t){let e=(t.file??"").replace(
/^.*\//,"");return t.line?`${e}:${t.line}`+(t.func?` [${t.func}]`:""):t.code?t.code:t.offset!==void 0?`${e||t.
func||"?"}+0x${t.offset.toString(16)}`:t.func??e}function ae(t){return(t??[]).map(Rn).join(" < ")}function W(t,e,n,s){
let i=m("select",{change:o=>s(o.target.value)},...e.map(([o,l])=>m("option",{value:o,selected:o===n},l)));return m(
"label",{},t,i)}var te=["rank","function","comm","time","in","steps","step_loop"],An={rank:"--rank",function:"--function",comm:"\
--comm",time:"--time",in:"--in",steps:"--steps",step_loop:"--step-loop"},he={selection:{},panel:"sites",color:"\
activity",order:"rank",open:"",detail:""};function Qe(t){let e=new URLSearchParams;for(let n of te)t.selection[n]&&
e.set(n,t.selection[n]);return t.view&&e.set("view",t.view.map(n=>String(Math.round(n))).join("_")),t.panel!==
he.panel&&e.set("panel",t.panel),t.color!==he.color&&e.set("color",t.color),t.order!==he.order&&e.set("order",
t.order),t.open&&e.set("open",t.open),t.call&&e.set("call",t.call.join(".")),t.detail&&e.set("detail",t.detail),
e.toString()}function xt(t,e){let n=(t??"").split(e).map(Number);if(!(n.length!==4||n.some(s=>!Number.isFinite(
s))))return n}function Mt(t){let e=new URLSearchParams(t.replace(/^#/,"")),n={...he,selection:{}};for(let s of te){
let i=e.get(s);i&&(n.selection[s]=i)}return n.view=xt(e.get("view"),"_"),n.view&&(n.view[1]<=n.view[0]||n.view[3]<
1)&&(n.view=void 0),n.call=xt(e.get("call"),"."),n.panel=e.get("panel")??he.panel,n.color=e.get("color")??he.color,
n.order=e.get("order")??he.order,n.open=e.get("open")??"",n.detail=e.get("detail")??"",n}var Ae=class{state=Mt(
location.hash);listeners=[];place=0;last=0;moved=0;late;constructor(){history.replaceState({place:0},""),addEventListener(
"popstate",e=>{let n=e.state?.place;n===void 0?history.replaceState({place:++this.place},""):this.place=n,this.
last=Math.max(this.last,this.place),this.moved=0,clearTimeout(this.late),this.late=void 0,this.enter(Mt(location.
hash))})}get now(){return this.state}listen(e){this.listeners.push(e)}set(e,n=!1){let s={...this.state,...e},i=Qe(
s);if(i===Qe(this.state))return;let o=n&&performance.now()-this.moved<800;this.moved=n?performance.now():0,o?this.
late??=setTimeout(()=>this.settle(),300):(this.settle(),this.last=++this.place,history.pushState({place:this.place},
"","#"+i)),this.enter(s)}settle(){this.late!==void 0&&(clearTimeout(this.late),this.late=void 0,history.replaceState(
{place:this.place},"","#"+Qe(this.state)))}select(e,n={}){let s={...this.state.selection,...e};for(let i of te)
s[i]||delete s[i];this.set({...n,selection:s})}get link(){return this.settle(),location.href}undo(){this.settle(),
this.place>0&&history.back()}redo(){this.settle(),this.place<this.last&&history.forward()}enter(e){let n=this.
state;this.state=e;for(let s of this.listeners)s(e,n)}};function ke(t){return/^[\w@%+=:,./-]+$/.test(t)?t:"'"+
t.replaceAll("'","'\\''")+"'"}function et(t){return te.filter(e=>t[e]).map(e=>`${An[e]} ${ke(t[e]??"")}`).join(
" ")}function Ne(t){let e=[...new Set(t)].sort((s,i)=>s-i),n=[];for(let s=0;s<e.length;){let i=s;for(;i+1<e.length&&
e[i+1]===(e[i]??0)+1;)i++;n.push(s===i?String(e[s]):`${e[s]}-${e[i]}`),s=i+1}return n.join(",")}function Se(t,e){
return t?t.split(",").some(n=>{let[s,i]=n.split("-").map(Number);return s!==void 0&&e>=s&&e<=(i??s)}):!0}function Oe(t,e){
let n=s=>s.split(",").filter(i=>i!=="").map(i=>i.split("-").map(Number)).map(([i=NaN,o=i])=>[i,o]);return n(t).
some(([s,i])=>n(e).some(([o,l])=>s<=l&&o<=i))}function de(t,e,n,s=" of"){return m("div",{class:"figure"+s,title:n},m("dt",{},t),m("dd",{},e))}function _t(t){
let e=m("section",{class:"verdict","aria-label":"Verdict"}),n="",s=()=>{let i=JSON.stringify(t.store.now.selection);
if(i===n)return;n=i;let o=t.overview;O(e,async(l,a)=>{let r;try{r=await C("report",z(t.store.now),l,a)}catch(f){
return[m("dl",{},...tt(o)),m("div",{class:"sentence"},ce(f))]}let d=r.efficiency,u=(r.ranks??[]).reduce((f,p)=>f+
p.end_ns-p.begin_ns,0),h=Object.values(r.waits??{}).reduce((f,p)=>f+p.time_ns,0),c=(r.groups??[]).reduce((f,p)=>f+
p.time_ns,0);return[m("dl",{},r.elapsed_ns!==void 0&&de("time",x(r.elapsed_ns),"from the first call after MPI_\
Init to the last before MPI_Finalize"),d&&de("parallel efficiency",F(d.parallel),"the part of the time of all \
ranks that is computation: load balance x communication efficiency"),d&&de("load balance",F(d.load_balance),"m\
ean computation of the ranks, by the greatest"),d&&de("communication eff.",F(d.communication),"the greatest co\
mputation of a rank, by the time of the run"),c>0&&u>0&&de("in calls",F(c/u),"of the time of all ranks"),r.waits&&
u>0&&de("waiting for others",F(h/u),"of the time of all ranks: in calls that could not go on since another ran\
k came late"),...tt(o)),m("div",{class:"sentence"},i==="{}"?"":"of what is selected")]},l=>{let a=e.querySelector(
".sentence");a?T(a,l):T(e,m("dl",{},...tt(o)),m("div",{class:"sentence"},l))})};return t.store.listen(s),s(),e}
function tt(t){return[de("ranks",k(t.processes)+(t.threads>t.processes?` (${j(t.threads,"thread")})`:""),j(t.hosts,
"host"),""),de("calls",k(t.calls),"in the whole recording","")]}function $t(t){let e=t.banner,n=[];return t.timed||
n.push("No times of calls were recorded: there is no map. Record with --timing=lossy."),e.time_error_ns>0&&n.push(
`times are within ${x(e.time_error_ns)}`),e.clock_residual_ns>0&&n.push(`clocks of hosts agree within ${x(e.clock_residual_ns)}`),
e.unmeasured_clocks>0&&n.push(`the clocks of ${j(e.unmeasured_clocks,"host")} are not corrected`),e.unfinished_calls>
0&&n.push(`${j(e.unfinished_calls,"call")} did not return`),e.lost_calls>0&&n.push(`${j(e.lost_calls,"call")} \
were lost`),e.snapshot&&n.push(`the job was still running when this was taken (${e.snapshot})`),e.incomplete&&
n.push(e.incomplete),m("section",{class:"banner","aria-label":"What limits these numbers"},...n.map(s=>m("span",
{},s)))}function Nn(t){let e={},n="";for(let i=1;i<t.length;i++){let[o="",l]=(t[i]??"").split(/=(.*)/s),a=o.replace(
/^--/,"").replaceAll("-","_"),r=l??t[i+1]??"";if(te.includes(a))e[a]=r;else if(a==="cause")n="causes,cause:"+r,
e.rank=r;else if(a==="kind")n="places,kind:"+r;else continue;l===void 0&&i++}let s={waits:"waits",messages:"me\
ssages",matrix:"matrix",loops:"loops",outliers:"outliers",histogram:"histogram",profile:"sites",report:"sites",
timeline:"sites"}[t[0]??""]??"sites";return{selection:e,panel:s,detail:n}}function St(t){let e=m("ol",{class:"\
findings"}),n=m("h2",{},"Findings"),s="",i=l=>{let a=Nn(l.command??[]),r=a.selection,d=t.steps(),u=l.step>=0&&
(!d||l.step<d.total);u&&!r.steps&&(r.steps=String(l.step)),l.process>=0&&!r.rank&&(r.rank=String(l.process)),!Object.
keys(r).length&&l.func&&(r.function=l.func);let h=l.process>=0&&(l.command?.[0]==="dump"||["hang","deadlock","\
crash"].includes(l.kind));t.store.set({selection:r,panel:h?"call":a.panel,detail:a.detail,...h?{call:[0,l.process,
0,-1]}:{}}),r.steps&&u?dispatchEvent(new CustomEvent("jump",{detail:l.step})):l.step>=0&&d?.total&&t.overview.
grid&&t.look((d.begin_ns.at(-1)??0)+(d.length_ns.at(-1)??0),t.overview.grid.to_ns),t.say("selected: "+l.text)};
return s||(s="all",O(e,async(l,a)=>{let r=await C("report",{},l,a);return T(n,`Findings (${r.findings.length})`),
r.findings.length?r.findings.map(d=>m("li",{},m("button",{type:"button",title:d.text,click:()=>i(d)},m("span",
{class:"cost"},d.cost_ns>0?`${x(d.cost_ns)}, ${F(d.share)}`:""),m("span",{class:"kind"},d.kind),m("span",{class:"\
text short"},d.text)))):[m("li",{class:"empty"},"Nothing stands out: no finding concerns 1% of the time.")]})),
m("aside",{"aria-label":"Findings"},n,e)}var He=[4456788,4728952,4082057,3238030,2523790,2072201,3520377,7261784,11918891,16639781],U=[{key:"computatio\
n",name:"computation",light:14278114,dark:3752525},{key:"point_to_point",name:"point to point",light:29362,dark:29362},
{key:"wait",name:"wait",light:13983232,dark:13983232},{key:"collective",name:"collective",light:15113984,dark:15113984},
{key:"rma",name:"one-sided",light:13400487,dark:13400487},{key:"io",name:"files",light:40563,dark:40563},{key:"\
other_mpi",name:"other MPI",light:5682409,dark:5682409},{key:"lifecycle",name:"init and finalize",light:11782108,
dark:5071224},{key:"unselected",name:"not chosen",light:9081758,dark:9081758}],st=[["bytes_sent","bytes sent"],
["bytes_received","bytes received"],["messages_sent","messages sent"],["messages_received","messages received"]];
function fe(t){return st.some(([e])=>e===t)}function De(t){return[t>>16,t>>8&255,t&255]}var Tt=new Map;function ne(t){
let e=Tt.get(t);return e===void 0&&Tt.set(t,e="#"+t.toString(16).padStart(6,"0")),e}var I=(()=>{let t=new Uint8Array(
768);for(let e=0;e<256;e++){let n=e/255*(He.length-1),s=Math.min(Math.trunc(n),He.length-2),i=De(He[s]??0),o=De(
He[s+1]??0);for(let l=0;l<3;l++)t[3*e+l]=Math.round((i[l]??0)*(1-(n-s))+(o[l]??0)*(n-s))}return t})(),Ct=matchMedia(
"(prefers-color-scheme: dark)"),nt=new Map,Pt;function On(){nt.clear(),Pt=void 0}addEventListener("themechange",
On);Ct.addEventListener("change",()=>dispatchEvent(new Event("themechange")));function J(){let t=document.documentElement.
dataset.theme;return Pt??=t?t==="dark":Ct.matches}function Y(t){let e=U[t]??U[0];return J()?e.dark:e.light}function S(t){
let e=nt.get(t);return e===void 0&&(e=getComputedStyle(document.documentElement).getPropertyValue("--"+t).trim(),
nt.set(t,e)),e}var it=16,Hn=128,je=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;failure;of(e,n,s,i,o){
for(let l=0;n+l<=i;l++){let a=this.piece(e,n+l,Math.floor(s/2**l),o,l===0),r=a?a.head.rows.findIndex(h=>h.class===
e.class):-1,d=a?.head.rows[r];if(!a||!d?.read)continue;let u=a.head.bins*3;return{level:n+l,x:Math.floor(s/2**
l),lines:d.lines,read:d.read,shares:a.cells.subarray(r*u,(r+1)*u)}}}piece(e,n,s,i,o){let l=Math.floor(e.class/
it)*it,a=_e("bands",{...i,rec:this.rec||void 0,level:n,x:s,first:l,rows:it}),r=this.pieces.get(a);return r===void 0&&
o&&this.fetch(a),r}async fetch(e){this.pieces.set(e,this.pieces.get(e)??null);for(let n of this.pieces.keys()){
if(this.pieces.size<=Hn)break;this.pieces.delete(n)}try{let n=await Ee(e),s=new DataView(n).getUint32(0,!0),i=JSON.
parse(new TextDecoder().decode(new Uint8Array(n,4,s)));this.pieces.has(e)&&this.pieces.set(e,{head:i,cells:new Uint8Array(
n,4+s)}),this.failure=void 0,i.exact||setTimeout(()=>this.pieces.has(e)&&void this.fetch(e),100)}catch(n){this.
failure=n instanceof Error?n.message:String(n)}this.changed()}clear(){this.pieces.clear()}};function Te(t){return U.
some(e=>e.key===t)?t:"mpi"}function Ce(t){return U.find(e=>e.key===t)?.name??"in calls"}function Et(t,e,n,s){let i=e.
shares.length/3,o=2**e.level,l=c=>s.x((e.x*i+c)*o),a=(c,f)=>s.y+s.height-(e.shares[c*i+f]??0)/255*s.height,r=Math.
max(0,Math.floor(Lt(l,i,s.left))),d=Math.min(i,Math.ceil(Lt(l,i,s.right))+1);if(d<=r)return;let u=U.findIndex(
c=>c.key===n),h=ne(u>0?Y(u):J()?5682409:29362);t.save(),t.beginPath(),t.rect(s.left,s.y,s.right-s.left,s.height),
t.clip(),t.fillStyle=h,t.globalAlpha=.35,t.beginPath();for(let c=r;c<d;c++)ot(t,l(c),l(c+1),a(2,c),c===r);for(let c=d-
1;c>=r;c--)ot(t,l(c+1),l(c),a(0,c),!1);t.closePath(),t.fill(),t.globalAlpha=1,t.strokeStyle=S("ink"),t.lineWidth=
1.4,t.beginPath();for(let c=r;c<d;c++)ot(t,l(c),l(c+1),a(1,c),c===r);t.stroke(),t.restore()}function Lt(t,e,n){
return(n-t(0))/(t(e)-t(0))*e}function ot(t,e,n,s,i){i?t.moveTo(e,s):t.lineTo(e,s),t.lineTo(n,s)}function Be(t){
let e=j(t.lines,t.thread?"thread":"rank");return`class ${t.class}: ${e}`+(t.ranks&&t.lines>1?`, ${t.ranks}`:"")}var Rt=[["activity","activity"],["mpi","share in calls"],...U.slice(0,8).map(t=>[t.key,"share of "+t.name]),...q?
[]:st];function At(t,e){let n=m("div",{class:"legend",role:"list","aria-label":"Legend"}),s=()=>{let i=t.now.order===
"classes"&&!q?m("span",{class:"key",role:"listitem"},m("span",{class:"swatch band","aria-hidden":"true"}),`${Ce(
Te(t.now.color))}: least, median, greatest`):null;if(t.now.color==="activity"){T(n,i,...U.map((u,h)=>{if(!e.seen.
has(u.key))return null;let c=m("span",{class:"swatch","aria-hidden":"true"});return c.style.background=ne(Y(h)),
m("span",{class:"key",role:"listitem"},c,u.name)}));return}let o=m("canvas",{class:"ramp",width:256,height:1,"\
aria-hidden":"true"}),l=o.getContext("2d"),a=l?.createImageData(256,1);if(l&&a){for(let u=0;u<256;u++)a.data.set(
[I[3*u]??0,I[3*u+1]??0,I[3*u+2]??0,255],4*u);l.putImageData(a,0,0)}let r=t.now.color;if(!fe(r))return T(n,m("s\
pan",{class:"key"},"0%",o,"100% of the time"),i);T(n,m("span",{class:"key",title:"The scale is logarithmic, ov\
er four powers of ten; where nothing is moved, the colour is that of 0."},"0",o,`${(u=>r.startsWith("bytes")?E(
u):k(u))(e.most)} a second and line`),i)};return t.listen((i,o)=>{(i.color!==o.color||i.order!==o.order)&&s()}),
e.element.addEventListener("seen",s),addEventListener("themechange",s),s(),n}var Dn=150;function Nt(t,e,n,s,[i,o]){let l=new Set,a=[];for(let u of e)for(let h of u.arrows??[]){let c=`${h.
from}.${h.send}-${h.to}.${h.receive}`;l.has(c)||(l.add(c),!(n(h.end_ns)<i||n(h.begin_ns)>o||!s.has(h.from)&&!s.
has(h.to))&&a.push(h))}if(a.length>Dn)return;let r=S("line"),d=S("bad");for(let u of[!1,!0]){t.strokeStyle=u?d:
r,t.fillStyle=t.strokeStyle,t.lineWidth=u?1.6:1,t.beginPath();for(let h of a){if(h.wait_ns>0!==u)continue;let c=s.
get(h.from)??(s.get(h.to)??0)+(h.from<h.to?-2e3:2e3),f=s.get(h.to)??c+(h.to>h.from?2e3:-2e3),p=n(h.begin_ns),g=n(
h.end_ns);t.moveTo(p,c),t.lineTo(g,f);let w=Math.atan2(f-c,g-p);for(let M of[2.7,-2.7])t.moveTo(g,f),t.lineTo(
g+7*Math.cos(w+M),f+7*Math.sin(w+M));if(u){let M=n(h.end_ns-h.wait_ns);t.moveTo(M,f+4),t.lineTo(g,f+4),t.moveTo(
M,f+1),t.lineTo(M,f+7)}}t.stroke()}}var jn=4e3,Fe=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;arrowPieces=new Map;aligned(e,n){
let s=2**Math.ceil(Math.log2(Math.max(64,n-e)));return{length:s,first:Math.floor(e/s),last:Math.floor(n/s)}}of(e,n,s){
let{length:i,first:o,last:l}=this.aligned(n,s),a=[];for(let r=Math.max(0,o);r<=l;r++){let d={rec:this.rec||void 0,
rank:e.rank,thread:e.thread||void 0,world:e.world||void 0,t0:r*i,t1:(r+1)*i,max:jn},u=JSON.stringify(d),h=this.
pieces.get(u);h?.lane?a.push(h.lane):h||this.ask(u,d)}return Bn(a)}ask(e,n){let s={};if(this.pieces.set(e,s),B(
"lanes",n).then(i=>s.lane=i,()=>s.failed=!0).finally(()=>this.changed()),this.pieces.size>600)for(let i of[...this.
pieces.keys()].slice(0,200))this.pieces.delete(i)}arrows(e,n){let{length:s,first:i,last:o}=this.aligned(e,n),l=[];
for(let a=Math.max(0,i);a<=o;a++){let r={rec:this.rec||void 0,t0:a*s,t1:(a+1)*s,max:2e3},d=JSON.stringify(r),u=this.
arrowPieces.get(d);if(u?.arrows&&l.push(u.arrows),u)continue;let h={};if(this.arrowPieces.set(d,h),B("arrows",
r).then(c=>h.arrows=c,()=>h.failed=!0).finally(()=>this.changed()),this.arrowPieces.size>60)for(let c of[...this.
arrowPieces.keys()].slice(0,20))this.arrowPieces.delete(c)}return l}};function Bn(t){let e=t[0];if(!e||t.length<
2)return t;let n=new Map,s=new Map,i=new Map,o=[],l=(a,r,d)=>{let u=a.get(r);a.set(r,u?{...u,start_ns:Math.min(
u.start_ns,d.start_ns),end_ns:Math.max(u.end_ns,d.end_ns)}:d)};for(let a of t){if(!a.calls?.length&&a.total>0)
return[];for(let r of a.calls??[])n.set(r.index,{...r,site:r.site<0?-1:r.site+o.length});for(let r of a.loops??
[])l(s,`${r.level} ${r.iteration} ${r.name}`,r);for(let r of a.regions??[])l(i,`${r.level} ${r.start_ns} ${r.name}`,
r);o.push(...a.sites??[])}return[{...e,to_ns:t.at(-1)?.to_ns??e.to_ns,total:n.size,calls:[...n.values()],loops:[
...s.values()],regions:[...i.values()],sites:o}]}var Fn=new Map(U.map((t,e)=>[t.key,e]));function rt(t,e,n,s,i,o){
if(i<24)return;t.fillStyle=o;let l=Math.floor((i-6)/6.1);l<3||(e=oe(e),t.fillText(e.length>l?e.slice(0,l-1)+"\u2026":
e,n+3,s))}function zn(t){return((t>>16)*299+(t>>8&255)*587+(t&255)*114)/1e3>140}function In(t,e){if(!t)return!0;
let n=!0;for(let s of t.split(",").map(i=>i.trim().toLowerCase())){let i=s.startsWith("mpi_")||s.includes("*"),
o=s.split("*").map(l=>l.replace(/[^\w]/g,"\\$&")).join(".*");if(i&&new RegExp(`^${o}$`).test(e.toLowerCase()))
return!0;n&&=i}return n?!1:void 0}function Ot(t,e,n,s){let{y:i,height:o,x:l,left:a,right:r,chosen:d}=n,u=e.calls??
[];if(!u.length&&e.total>0)return!1;let h=e.loops??[],c=o>=26?Math.min(3,h.reduce((b,v)=>Math.max(b,v.level+1),
0)):0,f=o>=26?(e.regions??[]).filter(b=>b.level<1):[],p=c+(f.length?1:0)>0?Math.min(13,Math.floor(o*.5/(c+(f.length?
1:0)))):0,g=i;t.font="10px ui-monospace, DejaVu Sans Mono, monospace",t.textBaseline="middle",t.textAlign="lef\
t";for(let b of f){let v=Math.max(a,l(b.start_ns)),_=Math.min(r,l(b.end_ns))-v;if(_<=0)continue;t.fillStyle=J()?
"#2f5d50":"#bfe3d6",t.fillRect(v,g,_,p-1);let y=b.times>1?`${b.name||"regions"} (${b.times} times)`:b.name;p>=
10&&rt(t,y,v,g+p/2,_,J()?"#e8ecf1":"#1f2933"),s.push({x:v,width:_,y:g,height:p,line:e,region:y})}f.length&&(g+=
p);for(let b of h){if(b.level>=c)continue;let v=Math.max(a,l(b.start_ns)),_=Math.min(r,l(b.end_ns))-v;if(_<=0)
continue;let y=g+b.level*p;t.fillStyle=J()?b.iteration%2?"#3d4a63":"#4b5a78":b.iteration%2?"#c9d6ea":"#dbe4f2",
t.fillRect(v,y,Math.max(.6,_-1),p-1);let L=(b.iteration===b.last_iteration?`${b.iteration}`:`${b.iteration}-${b.
last_iteration}`)+(b.step?" step":"")+"  "+b.name;p>=10&&rt(t,L,v,y+p/2,_,J()?"#e8ecf1":"#1f2933"),s.push({x:v,
width:_,y,height:p,line:e,loop:b})}g+=c*p;let w=i+o-g,M=Math.max(a,l(e.from_ns)),A=Math.min(r,l(e.to_ns));if(u.
length&&A>M){let b=Math.max(a,l(u[0]?.start_ns??e.from_ns)),v=Math.min(r,l(u.at(-1)?.end_ns??e.to_ns));t.fillStyle=
ne(Y(0)),t.fillRect(b,g,v-b,w)}for(let b of u){let v=Math.max(a,l(b.start_ns)),_=Math.min(r,l(b.end_ns));if(_<
a||v>r)continue;let y=In(n.functions,b.func)===!1?U.length-1:Fn.get(b.category)??6,K=Y(y),L=Math.max(.7,_-v),D=b.
nested?w*.3:0;if(t.fillStyle=ne(K),t.fillRect(v,g+D,L>3?L-.7:L,w-D),b.unfinished){t.fillStyle=J()?"#ffffff":"#\
000000";for(let N=v;N<_;N+=8)t.fillRect(N,g+w-3,4,2)}b.index===d&&(t.strokeStyle=J()?"#ffffff":"#000000",t.lineWidth=
2,t.strokeRect(v-1,g-1,L+2,w+2)),w>=10&&rt(t,b.func.replace(/^P?MPIX?_/,""),v,g+w/2,L,zn(K)?"#111820":"#ffffff"),
s.push({x:v,width:L,y:g,height:w,line:e,call:b,site:b.site<0?void 0:e.sites?.[b.site]})}return!0}var Pe=class t{total=0;runs=[];bands=[];static plain(e){let n=new t;return n.lines(0,e),n}static folded(e,n,s){
let i=new t,o=e.filter(d=>d.lines>1),l=o.reduce((d,u)=>d+(s.has(u.class)?0:u.lines),0),a=Math.max(2,Math.ceil(
(n-l)/3/Math.max(1,o.length))),r=0;for(let d of e)r=d.first+d.lines,d.lines>1&&(i.bands.push({at:i.total,height:a,
of:d,open:s.has(d.class)}),i.total+=a),(d.lines===1||s.has(d.class))&&i.lines(d.first,d.lines);return r<n&&i.lines(
r,n-r),i}lines(e,n){let s=this.runs.at(-1);s&&s.at+s.n===this.total&&s.first+s.n===e?s.n+=n:this.runs.push({at:this.
total,first:e,n}),this.total+=n}line(e){let n=this.runs.find(s=>e>=s.at&&e<s.at+s.n);return n&&n.first+Math.floor(
e-n.at)}band(e){return this.bands.find(n=>e>=n.at&&e<n.at+n.height)}};function xe(t){return new Set(t.split(",").
filter(e=>/^\d+$/.test(e)).map(Number))}var Kn=Float32Array.from({length:256},(t,e)=>Math.pow(e/255,2.2)),at=Uint8Array.from({length:4096},(t,e)=>Math.
round(255*Math.pow(e/4095,1/2.2))),Ht=256,ze=class{constructor(e,n,s){this.rec=e;this.grid=n;this.changed=s}rec;grid;changed;tiles=new Map;asking=0;queue=new Map;clock=0;generation=new AbortController;drop(){
this.queue.clear()}abandon(){this.drop(),this.generation.abort(),this.generation=new AbortController}get busy(){
return this.asking>0||this.queue.size>0}address(e,n){return e.path??_e("tiles",{...n.params,rec:this.rec||void 0,
level:e.level,x:e.x,first:e.first,group:e.group,rows:e.rows})}tile(e,n,s=!0){let i=e.path??`${e.level}.${e.x}.${e.
first}.${e.group}.${e.rows}${n.key}`,o=this.tiles.get(i);if(o)return o.used=++this.clock,o.stale&&s&&this.enqueue(
i,e,n),o.head||o.error?o:void 0;s&&this.enqueue(i,e,n)}enqueue(e,n,s){this.queue.has(e)||(this.queue.set(e,this.
address(n,s)),queueMicrotask(()=>this.next()))}next(){for(;this.asking<4;){let[e]=this.queue;if(!e)return;this.
queue.delete(e[0]);let n=this.tiles.get(e[0]);(!n||n.stale)&&this.fetch(...e)}}async fetch(e,n){let s={pixels:new Map,
used:++this.clock},i=this.tiles.get(e);i?i.stale=!1:this.tiles.set(e,s),this.asking++;let{signal:o}=this.generation;
try{let l=await Ee(n,{signal:o}),a=new DataView(l).getUint32(0,!0);s.head=JSON.parse(new TextDecoder().decode(
new Uint8Array(l,4,a))),fe(s.head.value)?(s.values=new Float32Array(l.slice(4+a)),s.most=Dt(s.head,s.values).reduce(
(r,d)=>Math.max(r,d),0)):s.cells=new Uint8Array(l,4+a),!s.head.exact&&s.head.pending>0&&!q&&setTimeout(()=>{s.
stale=!0,this.changed()},700),this.tiles.set(e,s)}catch(l){o.aborted?i?i.stale=!0:this.tiles.delete(e):(s.error=
l instanceof Error?l.message:String(l),this.tiles.set(e,s))}this.asking--,this.trim(),this.changed(),this.next()}trim(){
if(this.tiles.size<=Ht)return;let e=[...this.tiles].filter(([,n])=>n.head||n.error).sort((n,s)=>n[1].used-s[1].
used);for(let[n]of e.slice(0,this.tiles.size-Ht))this.tiles.delete(n)}coarser(e,n){for(let s=1;e.level+s<=this.
grid.level;s++){let i={...e,level:e.level+s,x:Math.floor(e.x/2**s)},o=this.tile(i,n,!1);if(o?.head)return{tile:o,
place:i}}}};function Dt(t,e){let n=t.categories.length,s=new Float32Array(t.bins*t.rows.length);return t.rows.
forEach((i,o)=>{let l=1e9/(2**t.level*Math.max(1,i.read));for(let a=o*t.bins;a<(o+1)*t.bins;a++){let r=0;for(let d=0;d<
n;d++)r+=e[a*n+d]??0;s[a]=r*l}}),s}function Un(t,e){return t<=0?0:Math.max(.04,Math.min(1,1+Math.log10(t/e)/4))}
function Ie(t,e,n,s){if(!t.head||!t.cells&&!t.values)return;let i=e+(t.values?"/"+n:"")+(J()?"/dark":""),o=t.pixels.
get(i);if(o||!s())return o;let{bins:l,rows:a}=t.head,r=t.head.categories.length,d=document.createElement("canv\
as");d.width=l,d.height=Math.max(1,a.length);let u=d.getContext("2d");if(!u)return;let h=u.createImageData(l,Math.
max(1,a.length)),c=t.head.categories.map(f=>U.findIndex(p=>p.key===f));if(t.values)Wn(Dt(t.head,t.values),h.data,
n);else if(t.cells)e==="activity"?qn(t.cells,h.data,r,c.map(f=>De(Y(f)))):Vn(t.cells,h.data,r,t.head.categories.
map(f=>e==="mpi"?f!=="computation":f===e));else return;return u.putImageData(h,0,0),t.pixels.set(i,d),d}function qn(t,e,n,s){
let i=s.map(o=>o.map(l=>Kn[l]??0));for(let o=0,l=0;l<e.length;o+=n,l+=4){let a=0,r=0,d=0,u=0;for(let h=0;h<n;h++){
let c=t[o+h]??0;if(!c)continue;let f=i[h];f&&(a+=c*(f[0]??0),r+=c*(f[1]??0),d+=c*(f[2]??0),u+=c)}u&&(e[l]=at[Math.
round(a/u*4095)]??0,e[l+1]=at[Math.round(r/u*4095)]??0,e[l+2]=at[Math.round(d/u*4095)]??0,e[l+3]=Math.min(255,
u+2))}}function Wn(t,e,n){t.forEach((s,i)=>{let o=3*Math.round(255*Un(s,n));e[4*i]=I[o]??0,e[4*i+1]=I[o+1]??0,
e[4*i+2]=I[o+2]??0,e[4*i+3]=255})}function Vn(t,e,n,s){for(let i=0,o=0;o<e.length;i+=n,o+=4){let l=0,a=0;for(let d=0;d<
n;d++){let u=t[i+d]??0;a+=u,s[d]&&(l+=u)}if(!a)continue;let r=3*Math.min(255,Math.round(255*l/a));e[o]=I[r]??0,
e[o+1]=I[r+1]??0,e[o+2]=I[r+2]??0,e[o+3]=255}}function jt(t){return t.first.map(e=>{let n=new URLSearchParams(
e.replace(/^.*\?/,"")),s=i=>Number(n.get(i)??0);return{level:s("level"),x:s("x"),first:s("first"),group:s("gro\
up")||1,rows:s("rows"),path:e}})}var Xn={ns:1,us:1e3,\u00B5s:1e3,ms:1e6,s:1e9,m:6e10,h:36e11};function Ke(t,e,n){let s=t.trim();if(s.endsWith("\
%"))return e+(n-e)*Number(s.slice(0,-1))/100;if(s!==""&&Number.isFinite(Number(s)))return Number(s)*1e9;let i=0,
o=s;for(;o;){let l=/^([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/.exec(o);if(!l)return;i+=Number(l[1])*(Xn[l[2]??""]??NaN),
o=o.slice(l[0].length)}return s?i:void 0}function pe(t,e,n){if(!t)return;if(t.includes("..")){let[l="",a=""]=t.
split(".."),r=l.trim()?Ke(l,e,n):e,d=a.trim()?Ke(a,e,n):n;return r===void 0||d===void 0?void 0:[r,d]}let s=t.search(
/(?<![eE])\+/);if(s<1)return;let i=Ke(t.slice(0,s),e,n),o=Ke(t.slice(s+1),0,n-e);return i===void 0||o===void 0?
void 0:[i,i+o]}function be(t,e){let n=/^\s*(\d*)\s*(-|\.\.)?\s*(\d*)\s*$/.exec(t??"");if(!t||!n)return;let s=n[1]?
Number(n[1]):0;return[s,n[3]?Number(n[3]):n[2]?e-1:s]}function Ue(t,e){return`${Math.max(0,Math.floor(t))}ns..${Math.
ceil(e)}ns`}var R=78,P=34,Jn=44,ge=4096,Me=class t{constructor(e){this.o=e;this.grid=e.overview.grid,this.first=jt(this.grid),
this.own=e.own??(n=>n),this.shared=e.shared??(n=>n),this.tiles=new ze(e.rec,this.grid,()=>this.draw()),this.lanes=
new Fe(e.rec,()=>this.draw()),this.bands=new je(e.rec,()=>this.draw()),this.element=m("div",{class:"map"},this.
canvas,this.tip,this.note),this.canvas.setAttribute("aria-label",`Time from left to right, ${j(this.grid.lines,
"line")} from top to bottom. The arrow keys move, plus and minus zoom. The table Ranks has the same as text.`),
new ResizeObserver(()=>this.resize()).observe(this.element),e.store.listen((n,s)=>{let i=n.selection===s.selection&&
n.order===s.order&&n.color===s.color;(!i||n.view!==s.view)&&this.bands.clear(),i?n.view!==s.view&&this.tiles.drop():
this.tiles.abandon(),this.draw()}),this.listen()}o;element;canvas=m("canvas",{tabindex:0,role:"img"});tip=m("d\
iv",{class:"tip",hidden:!0});note=m("div",{class:"mapnote","aria-live":"polite"});tiles;lanes;bands;classes;grid;first;width=0;height=0;waiting=!1;lines=new Map;linesOrder="\
none";steps;drawn=[];heads=[];drawnBands=[];drag;pointer;own;shared;seen=new Set;markers=[];messages=!0;frames=[];firstPicture;setSteps(e){
this.steps=e,this.draw()}get view(){let e=this.o.store.now.view,{total:n}=this.layout;if(!e)return[this.grid.from_ns,
this.grid.to_ns,0,n];let s=Math.max(0,Math.min(e[2],n-1));return[this.own(e[0]),this.own(e[1]),s,Math.min(e[3],
n-s)]}laidOut;get layout(){let{order:e,open:n}=this.o.store.now,s=e==="classes"?this.folded():void 0,i=s?"clas\
ses "+n:"lines";if(this.laidOut?.key!==i){let{lines:o}=this.grid;this.laidOut={key:i,layout:s?Pe.folded(s,o,xe(
n)):Pe.plain(o)}}return this.laidOut.layout}folded(){if(this.classes||this.askedClasses||q)return this.classes;
this.askedClasses=!0,B("classes",{rec:this.o.rec||void 0}).then(e=>{this.classes=e.classes,this.draw()},e=>{this.
failure=e instanceof Error?e.message:String(e),this.draw()})}askedClasses=!1;get order(){let{order:e}=this.o.store.
now;return e==="rank"?void 0:e==="classes"?"class":e}look(e,n,s,i,o=!0){let l=this.grid,a=Math.max(200,Math.min(
n-e,(l.to_ns-l.from_ns)*1.02)),r=(e+n)/2;e=Math.max(l.from_ns-.01*(l.to_ns-l.from_ns),Math.min(r-a/2,l.to_ns*1.01-
a));let{total:d}=this.layout;i=Math.max(1,Math.min(d,i)),s=Math.max(0,Math.min(d-i,s));let u=e<=l.from_ns&&e+a>=
l.to_ns&&i===d;this.o.store.set({view:u?void 0:[this.shared(e),this.shared(e+a),s,i]},o)}zoom(e,n=this.pointer?.
x??R+this.plot/2){let[s,i,o,l]=this.view,a=this.timeAt(Math.max(R,n));this.look(a-(a-s)*e,a+(i-a)*e,o,l)}pan(e){
let[n,s,i,o]=this.view;this.look(n+e*(s-n),s+e*(s-n),i,o)}scroll(e){let[n,s,i,o]=this.view,l=Math.sign(e)*Math.
max(1,Math.round(Math.abs(e)*o));this.look(n,s,i+l,o)}zoomLines(e,n=this.pointer?.y??P+(this.height-P)/2){let[
s,i,o,l]=this.view,a=Math.max(1,Math.round(e>1?Math.max(l+1,l*e):Math.min(l-1,l*e))),r=this.lineAt(n);this.look(
s,i,Math.round(r-(r-o)*(a/l)),a)}get plot(){return Math.max(1,this.width-R)}get row(){return Math.min(Jn,(this.
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
drag&&!this.drag.pan&&this.paintDrag(e),this.annotate(i)}annotate(e){let n=this.heads.reduce((r,d)=>Math.max(r,
d.head.exact?0:d.head.blur_ns),0),[s,i,o]=[0,0,0];for(let{place:r,bands:d}of this.drawnBands)i+=r.of.lines,s+=
d.length?Math.min(...d.map(u=>u.read)):0;for(let{head:r}of this.heads){o+=r.unsized??0;for(let d of r.rows)s+=
d.read,i+=d.threads}let l=this.failure??this.bands.failure;this.element.dataset.state=e||this.tiles.busy?"load\
ing":"ready";let a=l??(s<i?`not exact yet: ${F(s/i)} is read`:n?`not exact: means over stretches of ${x(n)}`:e&&
!i?"reading \u2026":o?`${j(o,"message")} of unknown size: receives count with the size of their buffers`:"");this.
note.textContent!==oe(a)&&T(this.note,a)}failure;paintTiles(e,n){let[s,i,o,l]=this.view,a=(i-s)/this.plot,r=Math.
max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*a)))),d=1;for(;d*2*this.row<=2.01;)d*=2;let u=this.filter,
h=performance.now()+3,c=!1,f=()=>performance.now()<h||(c=!0,this.draw(),!1);this.failure=void 0,e.imageSmoothingEnabled=
!1;let[p]=this.first,g=p&&{...p,path:void 0},w=q||!g?void 0:{place:g,tile:this.tiles.tile(g,u)},M=!w||w.tile!==
void 0||n.view!==void 0,b=this.layout.runs.filter(v=>v.at<o+l&&v.at+v.n>o).map(v=>{let _=this.places(v,r,d);return{
run:v,places:_,known:_.map(y=>this.tiles.tile(y,u,M))}});this.rescale([w?.tile,...b.flatMap(v=>v.known)]);for(let{
run:v,places:_,known:y}of b){let K=P+(v.at-o)*this.row,L=v.at-v.first;if(e.save(),e.beginPath(),e.rect(R,K,this.
plot,v.n*this.row),e.clip(),w?.tile&&y.some(D=>!D?.head||D.head.rows.some(N=>N.read===0))){let D=Ie(w.tile,n.color,
this.most,f);D&&w.tile.head&&(this.see(w.tile.head,w.place),this.paintTile(e,D,w.place,w.place,L))}for(let[D,N]of _.
entries()){let ie=y[D];ie?.error&&(this.failure=ie.error),ie||(c=!0);let ue=ie&&Ie(ie,n.color,this.most,f);if(ue&&
ie?.head){this.see(ie.head,N),this.paintTile(e,ue,N,N,L);continue}let Le=this.tiles.coarser(N,u);ue=Le&&Ie(Le.
tile,n.color,this.most,f),Le&&ue&&this.paintTile(e,ue,Le.place,N,L)}if(this.row>=5){e.fillStyle=S("paper");let D=Math.
min(v.n,Math.ceil(o+l-v.at));for(let N=Math.max(1,Math.floor(o-v.at));N<=D;N++)e.fillRect(R,Math.round(K+N*this.
row)-1,this.plot,1)}e.restore()}return c}places(e,n,s){let[i,o,l,a]=this.view;if(q){let f=[...new Set(this.first.
map(g=>g.level))].sort((g,w)=>w-g),p=f.find(g=>g<=n)??f.at(-1)??n;return this.first.filter(g=>g.level===p)}let r=64*
s,d=256*2**n,u=e.first+Math.max(0,Math.floor(l-e.at)),h=e.first+Math.min(e.n,Math.ceil(l+a-e.at)),c=[];for(let f=Math.
floor(u/r)*r;f<h;f+=r){let p=Math.min(64,Math.ceil((this.grid.lines-f)/s));for(let g=Math.max(0,Math.floor(i/d));g*
d<Math.min(o,this.grid.to_ns);g++)c.push({level:n,x:g,first:f,group:s,rows:p})}return c}paintBands(e,n){let[s,
i,o,l]=this.view,a=Math.max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*(i-s)/this.plot)))),r=256*2**a,d=Te(
n.color),{function:u,comm:h,in:c}=n.selection,f={function:u,comm:h,in:c,of:d==="mpi"?void 0:d},p=n.order==="cl\
asses"&&!this.classes&&!this.failure&&!q;this.drawnBands=[];for(let g of this.layout.bands){if(g.at>o+l||g.at+
g.height<o)continue;let w=P+(g.at-o)*this.row,M=g.height*this.row,A=M>=40,b=w+(A?17:1),v={x:this.x,left:R,right:this.
width,y:b,height:w+M-2-b},_=[];for(let L=Math.max(0,Math.floor(s/r));L*r<Math.min(i,this.grid.to_ns);L++){let D=this.
bands.of(g.of,a,L,this.grid.level,f);D?_.some(N=>N.level===D.level&&N.x===D.x)||_.push(D):p=!0}e.fillStyle=S("\
raised"),e.fillRect(R,w,this.plot,M-1);for(let L of _)Et(e,L,d,v);if(this.drawnBands.push({place:g,bands:_}),!A)
continue;e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign="left",e.textBaseline="top";let y=`${Be(
g.of)}: ${Ce(d)}, least to greatest, median`,K=oe(y.length>140?y.slice(0,139)+"\u2026":y);e.fillStyle=S("ink"),
e.fillText(K,R+6,w+3)}return p}static rates=new Map;get most(){return 2**Math.ceil(Math.log2(Math.max(1,...t.rates.
values())))}rescale(e){let n=this.most;if(t.rates.set(this,Math.max(0,...e.map(s=>s?.most??0))),this.most!==n)
for(let s of t.rates.keys())s.element.dispatchEvent(new Event("seen")),s.draw()}see(e,n){if(this.heads.push({head:e,
place:n}),fe(e.value))return;let s=this.seen.size;for(let i of e.rows)i.sum_ns.forEach((o,l)=>o>0&&this.seen.add(
e.categories[l]??""));this.seen.size>s&&this.element.dispatchEvent(new Event("seen"))}paintTile(e,n,s,i,o){let l=2**
(s.level-i.level),a=256/l,r=256*2**i.level,d=this.x(i.x*r),u=P+(s.first+o-this.view[2])*this.row,h=n.height;e.
drawImage(n,(i.x-s.x*l)*a,0,a,h,d,u,this.x((i.x+1)*r)-d,h*s.group*this.row)}get rate(){return this.o.overview.
calls/this.grid.lines/Math.max(1,this.grid.to_ns-this.grid.from_ns)}near(e){let{from_ns:n,to_ns:s}=this.grid,i=Math.
min((s-n)/2,30/this.rate);this.look((n+s)/2-i,(n+s)/2+i,0,e)}paintLanes(e,n){let[s,i,o,l]=this.view;if(this.row<
12||!this.o.overview.timed||q||n.color!=="activity"||this.rate*(i-s)>1500)return!1;let a=!1;for(let r=Math.floor(
o);r<Math.ceil(o+l);r++){let d=this.at(r);if(!d)continue;let u=P+(r-o)*this.row,h=n.call,c={y:u,height:this.row-
1,x:this.x,left:R,right:this.width,functions:n.selection.function,chosen:h&&h[0]===d.world&&h[1]===d.rank&&h[2]===
d.thread?h[3]:void 0};for(let f of this.lanes.of(d,s,i))a=Ot(e,f,c,this.drawn)||a}return a}paintArrows(e){let[
n,s,i,o]=this.view,l=new Map;for(let a=Math.floor(i);a<i+o;a++){let r=this.at(a);r&&r.thread===0&&l.set(r.rank,
P+(a-i+.5)*this.row)}Nt(e,this.lanes.arrows(n,s),this.x,l,[R,this.width])}paintSelection(e,n){let{from_ns:s,to_ns:i}=this.
grid,[,,o,l]=this.view,a=S("veil"),r=pe(n.time,s,i),d=this.steps&&be(n.steps,this.steps.total),u=R,h=this.width;
if(r&&([u,h]=[this.x(this.own(r[0])),this.x(this.own(r[1]))]),d&&this.steps){let g=Math.min(this.steps.begin_ns.
length-1,Math.floor(d[0]/this.steps.stride)),w=Math.min(this.steps.begin_ns.length-1,Math.floor(d[1]/this.steps.
stride));u=Math.max(u,this.x(this.steps.begin_ns[g]??s)),h=Math.min(h,this.x((this.steps.begin_ns[w]??i)+(this.
steps.length_ns[w]??0)))}if(e.fillStyle=a,u>R&&e.fillRect(R,P,u-R,this.height),h<this.width&&e.fillRect(h,P,this.
width-h,this.height),(r||d)&&(e.fillStyle=S("accent"),e.fillRect(u-1,P,2,this.height),e.fillRect(h-1,P,2,this.
height)),!n.rank)return;e.fillStyle=a;let c=Math.max(R,u),f=Math.min(this.width,h)-c,p=Math.max(1,Math.floor(1/
this.row));for(let{place:g}of this.drawnBands)g.of.ranks&&!Oe(n.rank,g.of.ranks)&&e.fillRect(c,P+(g.at-o)*this.
row,f,g.height*this.row);for(let g=Math.floor(o);g<o+l;g+=p){let w=this.at(g);w&&!Se(n.rank,w.rank)&&e.fillRect(
c,P+(g-o)*this.row,f,Math.max(1,p*this.row))}}paintAxis(e){let[n,s]=this.view;e.fillStyle=S("faint"),e.strokeStyle=
S("rule"),e.lineWidth=1,e.font="11px system-ui, DejaVu Sans, sans-serif",e.textBaseline="alphabetic";let i=(s-
n)/this.plot*110,o=zt(i);for(let l=Math.ceil(n/o)*o;l<=s;l+=o){let a=Math.round(this.x(l))+.5;if(a<R)continue;
e.beginPath(),e.moveTo(a,14),e.lineTo(a,18),e.stroke();let r=re(l,o*10);a+e.measureText(r).width/2<this.width&&
(e.textAlign="center",e.fillText(r,Math.max(a,R+e.measureText(r).width/2),11))}this.paintSteps(e),e.strokeStyle=
S("rule"),e.beginPath(),e.moveTo(R,P-.5),e.lineTo(this.width,P-.5),e.stroke()}paintSteps(e){let n=this.steps;if(e.
textAlign="left",e.fillText(n?.begin_ns.length?"step":"",4,29),!n)return;let s=new Set((n.slow??[]).map(u=>Math.
floor(u.step/n.stride))),[i,o]=this.view,l=n.begin_ns.filter(u=>u>=i&&u<=o).length,a=Bt(l*n.stride*60/this.plot),
r=-1/0,d=-1/0;for(let u=0;u<n.begin_ns.length;u++){let h=Math.round(this.x(n.begin_ns[u]??0))+.5;if(h<R||h>this.
width)continue;let c=Math.ceil(u*n.stride/a)*a,f=c<(u+1)*n.stride&&h>=d;if(!f&&!s.has(u)&&h-r<4||(r=h,e.strokeStyle=
s.has(u)?S("bad"):S("rule"),e.beginPath(),e.moveTo(h,f?20:31),e.lineTo(h,P),e.stroke(),!f))continue;let p=String(
c);d=h+e.measureText(p).width+10,d<this.width&&e.fillText(p,h+2,29)}}paintNames(e){let[,,n,s]=this.view,i=Bt(13/
this.row);e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign="right",e.textBaseline="middle";let o=this.
o.store.now.selection.rank,l=-1/0;for(let{place:a}of this.drawnBands){let r=P+(a.at-n+a.height/2)*this.row;a.height*
this.row<12||r<P||r>this.height-4||(e.fillStyle=o&&Oe(o,a.of.ranks)?S("accent"):S("ink"),e.fillText(`${a.open?
"\u25BE":"\u25B8"} class ${a.of.class}`,R-6,r),!(a.height*this.row<56)&&(e.fillStyle=S("faint"),e.fillText("10\
0%",R-6,r-a.height*this.row/2+21),e.fillText("0%",R-6,r+a.height*this.row/2-8)))}for(let a of this.layout.runs){
let r=Math.max(0,Math.ceil((n-a.at)/i)*i);for(let d=r;d<a.n&&a.at+d<n+s;d+=i){let u=this.line(a.first+d);if(!u)
continue;let h=Math.max(P+(a.at+d-n+.5)*this.row,P+6);h>this.height-4||h<l||(l=h+12,e.fillStyle=o&&Se(o,u.rank)?
S("accent"):S("ink"),e.fillText(Ft(u,i===1||d===0),R-6,h))}}}paintMarkers(e){for(let n of this.markers){let s=this.
yOfRank(n.rank),i=this.x(n.at);s===void 0||i<R||i>this.width||(e.fillStyle=S("bad"),e.strokeStyle=S("paper"),e.
beginPath(),e.moveTo(i,s),e.lineTo(i-5,s-9),e.lineTo(i+5,s-9),e.closePath(),e.fill(),e.stroke())}}at(e){let n=this.
layout.line(e);return n===void 0?void 0:this.line(n)}paintDrag(e){let n=this.drag;if(!n)return;e.strokeStyle=S(
"accent"),e.fillStyle=S("select");let s=Math.min(n.x,n.x1),i=Math.min(n.y,n.y1),o=[s,this.layout.total>1?i:P,Math.
abs(n.x1-n.x),this.layout.total>1?Math.abs(n.y1-n.y):this.height];e.fillRect(...o),e.strokeRect(...o)}line(e){
let n=this.order;n!==this.linesOrder&&(this.linesOrder=n,this.lines=new Map);let s=Math.floor(e/ge)*ge,i=this.
lines,o=i.get(s);if(o===void 0&&(i.set(s,null),B("lines",{rec:this.o.rec||void 0,order:n,first:s,count:ge}).then(
l=>{i.set(s,l),this.draw()},()=>{})),o)return o.lines[e-s];for(let{head:l,place:a}of this.heads){if(a.group!==
1)continue;let r=l.rows[e-a.first];if(r)return{rank:r.rank,world:r.world,thread:r.thread,host:"",class:0,calls:0}}}yOfRank(e){
let[,,n,s]=this.view;for(let o=Math.floor(n);o<n+s;o++){let l=this.at(o);if(l?.rank===e&&l.thread===0)return P+
(o-n+.5)*this.row}let i=this.drawnBands.find(({place:o})=>o.of.ranks&&Se(o.of.ranks,e));return i&&P+(i.place.at-
n+i.place.height/2)*this.row}hit(e,n){let s;for(let i of this.drawn)n<i.y||n>i.y+i.height||e<i.x-1||e>i.x+Math.
max(i.width,2)||(!s||i.width<=s.width)&&(s=i);return s}listen(){let e=this.canvas;e.addEventListener("pointerd\
own",n=>{n.button>1||(e.setPointerCapture(n.pointerId),this.drag={x:n.offsetX,y:n.offsetY,x1:n.offsetX,y1:n.offsetY,
pan:n.shiftKey||n.button===1},this.tip.hidden=!0)}),e.addEventListener("pointermove",n=>{this.pointer={x:n.offsetX,
y:n.offsetY};let s=this.drag;if(!s)return this.point();if(s.pan){let[i,o,l,a]=this.view,r=(s.x1-n.offsetX)/this.
plot*(o-i);this.look(i+r,o+r,l+Math.round((s.y1-n.offsetY)/this.row),a)}s.x1=n.offsetX,s.y1=n.offsetY,this.draw()}),
e.addEventListener("pointerup",n=>{let s=this.drag;this.drag=void 0,s&&!s.pan&&this.released(s,n.ctrlKey||n.metaKey),
this.draw()}),e.addEventListener("pointercancel",()=>this.drag=void 0),e.addEventListener("pointerleave",()=>{
this.pointer=void 0,this.tip.hidden=!0}),e.addEventListener("dblclick",()=>this.fit()),e.addEventListener("whe\
el",n=>{n.preventDefault();let s=n.deltaMode?n.deltaY*20:n.deltaY;Math.abs(n.deltaX)>Math.abs(n.deltaY)?this.pan(
n.deltaX/1e3):n.shiftKey?this.pan(s/1e3):n.altKey?this.zoomLines(Math.exp(s/400),n.offsetY):this.zoom(Math.exp(
s/400),n.offsetX)},{passive:!1})}fit(){let e=this.o.store.now.selection,{from_ns:n,to_ns:s}=this.grid,i=pe(e.time,
n,s),o=this.steps&&be(e.steps,this.steps.total);if(o&&this.steps){let d=Math.floor(o[0]/this.steps.stride),u=Math.
min(this.steps.begin_ns.length-1,Math.floor(o[1]/this.steps.stride));i??=[this.steps.begin_ns[d]??n,(this.steps.
begin_ns[u]??s)+(this.steps.length_ns[u]??0)]}let[l,a]=i??[n,s],r=i?(a-l)*.03:0;this.look(l-r,a+r,this.view[2],
this.view[3],!1)}async released(e,n){let s=this.o.store;if(Math.abs(e.x1-e.x)<4&&Math.abs(e.y1-e.y)<4){let d=this.
markers.find(p=>Math.abs(this.x(p.at)-e.x)<6&&Math.abs((this.yOfRank(p.rank)??-99)-5-e.y)<9);if(d)return d.choose();
let u=this.layout.band(this.lineAt(e.y));if(u&&e.y>=P)return this.chooseBand(u,e.x<R);let h=this.at(Math.floor(
this.lineAt(e.y))),c=this.hit(e.x,e.y);if(c?.call){let p=c.line;return s.set({call:[p.world,p.rank,p.thread,c.
call.index],panel:"call"})}if(c?.loop?.step&&c.loop.iteration===c.loop.last_iteration)return s.select({steps:String(
c.loop.iteration),time:""});if(!h||e.y<P)return;let f=s.now.selection.rank;return n&&f?s.select({rank:Se(f,h.rank)?
Ne(this.ranksIn(f).filter(p=>p!==h.rank)):Ne([...this.ranksIn(f),h.rank])}):s.select({rank:f===String(h.rank)?
"":String(h.rank)})}let i=Ue(this.shared(this.timeAt(Math.max(R,Math.min(e.x,e.x1)))),this.shared(this.timeAt(
Math.max(e.x,e.x1)))),o=Math.max(0,Math.floor(this.lineAt(Math.min(e.y,e.y1)))),{total:l}=this.layout,a=Math.min(
l-1,Math.floor(this.lineAt(Math.max(e.y,e.y1)))),r=o<=0&&a>=l-1||Math.abs(e.y1-e.y)<4||e.y<P;s.select({time:i,
steps:"",rank:r?s.now.selection.rank??"":await this.ranksOf(o,a)})}ranksIn(e){return e?e.split(",").flatMap(n=>{
let[s=0,i=s]=n.split("-").map(Number);return Array.from({length:i-s+1},(o,l)=>s+l)}):[]}unfold(){let e=this.o.
store,{order:n,open:s,selection:i,view:o}=e.now;if(n!=="classes")return e.set({order:"classes",view:lt(o)});let l=this.
layout.bands.filter(d=>!i.rank||Oe(i.rank,d.of.ranks)),a=xe(s),r=l.every(d=>d.open);for(let{of:d}of l)r?a.delete(
d.class):a.add(d.class);e.set({open:[...a].sort((d,u)=>d-u).join(","),view:lt(o)})}chooseBand(e,n){let s=this.
o.store;if(n)return ct(s,e.of.class);e.of.ranks&&s.select({rank:s.now.selection.rank===e.of.ranks?"":e.of.ranks})}async ranksOf(e,n){
let s=this.layout.bands.filter(i=>i.at<=n&&i.at+i.height>e).flatMap(i=>this.ranksIn(i.of.ranks));for(let i of this.
layout.runs){let o=i.first+Math.max(0,e-i.at),l=i.first+Math.min(i.n-1,n-i.at);for(let a=Math.floor(o/ge)*ge;a<=
l;a+=ge)(await B("lines",{rec:this.o.rec||void 0,order:this.order,first:a,count:ge})).lines.forEach((d,u)=>{a+
u>=o&&a+u<=l&&d.rank>=0&&s.push(d.rank)})}return Ne(s)}point(){let e=this.pointer;if(!e||e.x<R||e.y<P){this.tip.
hidden=!0;return}let n=this.timeAt(e.x),s=this.lineAt(e.y),i=this.layout.line(s),[o,l]=this.view,a=this.hit(e.
x,e.y),r=[],d=i===void 0?void 0:this.line(i);if(i===void 0)r.push(...this.aboutBand(s,n));else if(a?.call)r.push(
...Zn(a.call,a.site));else if(a?.loop){let f=a.loop;r.push(m("b",{},`${f.step?"step":"iteration"} ${f.iteration}${f.
last_iteration>f.iteration?"-"+f.last_iteration:""} of ${f.of}`),m("div",{},f.name),m("div",{},x(f.end_ns-f.start_ns)))}else
a?.region?r.push(m("b",{},"region "+a.region)):r.push(...this.aboutCell(i,n));let u=this.markers.find(f=>Math.
abs(this.x(f.at)-e.x)<6&&Math.abs((this.yOfRank(f.rank)??-99)-5-e.y)<9);if(u&&r.unshift(m("b",{class:"bad"},u.
text)),!r.length){this.tip.hidden=!0;return}T(this.tip,m("div",{class:"where"},`${d?Ft(d,!0):""}  at ${re(n,l-
o)}`),...r),this.tip.hidden=!1;let h=this.tip.offsetWidth,c=this.tip.offsetHeight;this.tip.style.left=(e.x+16+
h>this.width?Math.max(0,e.x-h-12):e.x+16)+"px",this.tip.style.top=Math.max(0,Math.min(e.y+14,this.height-c-4))+
"px"}aboutBand(e,n){let s=this.drawnBands.find(o=>e>=o.place.at&&e<o.place.at+o.place.height);if(!s)return[];let i=Te(
this.o.store.now.color);for(let o of s.bands){let l=o.shares.length/3,a=Math.floor(n/2**o.level)-o.x*l;if(a<0||
a>=l)continue;let[r,d,u]=[0,1,2].map(h=>F((o.shares[h*l+a]??0)/255));return[m("b",{},Be(s.place.of)),m("div",{},
`${Ce(i)}, in ${x(2**o.level)}:`),m("div",{},`least ${r}, median ${d}, greatest ${u}`),...o.read<o.lines?[m("d\
iv",{},`of ${k(o.read)} of ${j(o.lines,"thread")} so far`)]:[]]}return[m("b",{},Be(s.place.of)),m("div",{},"no\
t read yet")]}aboutCell(e,n){for(let{head:s,place:i}of this.heads){let o=Math.floor((e-i.first)/i.group),l=Math.
floor(n/2**i.level)-i.x*256,a=s.rows[o];if(!a||l<0||l>255||e<i.first)continue;let r=this.tiles.tile(i,this.filter,
!1),d=s.categories.length;if(r?.values)return Yn(s,a,r.values.subarray((o*256+l)*d,(o*256+l+1)*d));let u=r?.cells;
if(!u)continue;let h=s.categories.map((f,p)=>[u[(o*256+l)*d+p]??0,f]).filter(([f])=>f>0).sort((f,p)=>p[0]-f[0]),
c=a.threads>1?m("div",{},`mean of ${It(a)}`):null;return a.read===0?[m("div",{},"not read yet")]:[...c?[c]:[],
m("div",{},`mean of ${x(2**i.level)}`),...h.length?h.map(([f,p])=>m("div",{},`${F(f/255)} ${U.find(g=>g.key===
p)?.name??p}`)):[m("div",{},"nothing is known")]]}return[]}bandsDrawn(){let e=this.canvas.getBoundingClientRect();
return this.drawnBands.map(({place:n,bands:s})=>({x:e.x+R/2,y:e.y+P+(n.at-this.view[2]+n.height/2)*this.row,class:n.
of.class,read:s.length?Math.min(...s.map(i=>i.read)):0,lines:n.of.lines,open:n.open}))}callsDrawn(){let e=this.
canvas.getBoundingClientRect();return this.drawn.flatMap(n=>n.call?[{x:e.x+n.x+n.width/2,y:e.y+n.y+n.height/2,
width:n.width,func:n.call.func,index:n.call.index,rank:n.line.rank}]:[])}};function zt(t){let e=10**Math.floor(
Math.log10(t));return[1,2,5,10].map(n=>n*e).find(n=>n>=t)??t}function Bt(t){return zt(Math.max(1,t))}function ct(t,e){
let n=xe(t.now.open);n.delete(e)||n.add(e),t.set({order:"classes",open:[...n].sort((s,i)=>s-i).join(","),view:lt(
t.now.view)})}function lt(t){return t&&[t[0],t[1],0,1e9]}function Ft(t,e){let n=(t.world?`w${t.world}:`:"")+(t.
rank<0?"?":t.rank)+(t.thread?"."+t.thread:"");return e&&!t.world&&!t.thread?"rank "+n:n}function It(t){return`${j(
t.threads,"thread")}: ranks ${t.rank} to ${t.last_rank}`}function Yn(t,e,n){if(e.read===0)return[m("div",{},"n\
ot read yet")];let s=t.value.replace("_"," "),i=l=>t.value.startsWith("bytes")?E(l):k(l),o=t.categories.flatMap(
(l,a)=>n[a]?[m("div",{},`${i(n[a]??0)} ${Gn[l]??l}`)]:[]);return[m("b",{},s),...e.threads>1?[m("div",{},`sum o\
f ${It(e)}`)]:[],m("div",{},`in ${x(2**t.level)}`),...o.length?o:[m("div",{},"nothing")]]}var Gn={p2p:"point t\
o point",collective:"collective",rma:"one-sided",io:"files"};function Zn(t,e){return[m("b",{},t.func),m("div",
{},`${x(t.end_ns-t.start_ns)}${t.unfinished?", did not return":""}, call ${t.index}`),...e?[m("div",{class:"si\
te"},e)]:[]]}function qe(t){return t===null?"not known or not significant":Array.isArray(t)?"["+t.map(qe).join(", ")+"]":typeof t==
"object"?"{"+Object.entries(t).map(([e,n])=>`${e}: ${qe(n)}`).join(", ")+"}":String(t)}var Ut={id:"call",title:"\
Call",command:t=>t.call?["dump","--rank",String(t.call[1]),"--from",String(t.call[3]),"--limit","1"]:["dump"],
key:t=>String(t.call),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now.call;if(!i)return[m("p",{class:"empty"},
"Click a call in the map (zoom in until calls are drawn one by one), or choose one in a table.")];let[o,l,a]=i,
r={world:o||void 0,rank:l,thread:a||void 0},d=i[3];d<0&&(d+=(await C("calls",{...r,from:0,limit:1},n,s)).total);
let u=await C("calls",{...r,from:d,limit:1},n,s),h=u.calls[0];if(!h)return[m("p",{class:"empty"},`Rank ${l} ma\
de ${k(u.total)} calls: there is no call ${d}.`)];let c=h.flags?.includes("unfinished"),f=h.start_ns,p=h.end_ns??
f,g=b=>t.store.set({call:[o,l,a,b]}),w=()=>{if(f===void 0||p===void 0)return;let b=Math.max(p-f,500);t.look(f-
b,p+b,l)},M=m("div",{class:"controls"},m("b",{},h.func),`rank ${o?`w${o}:`:""}${l}${a?", thread "+a:""}, call ${k(
h.index)} of ${k(u.total)}`,m("button",{type:"button",disabled:d<=0,click:()=>g(d-1)},"\u2190 previous"),m("bu\
tton",{type:"button",disabled:d+1>=u.total,click:()=>g(d+1)},"next \u2192"),m("button",{type:"button",disabled:f===
void 0,click:w},"zoom to it"),m("button",{type:"button",click:()=>t.store.select({function:h.func})},"select t\
he function")),A=m("dl",{class:"call"});return f!==void 0&&p!==void 0&&Qn(t,A,l,f,Math.max(p,f+1),h,n),[M,m("d\
iv",{class:"columns"},Kt([["call",h.func+(h.flags?.length?` (${h.flags.join(", ")})`:"")],...Object.entries(h.
in).map(([b,v])=>[b,qe(v)]),...Object.entries(h.out).map(([b,v])=>["\u2192 "+b,qe(v)]),["returned",c?"no":h.error??
String(h.ret)]]),Kt([["begin",f===void 0?"not recorded":`${(f/1e9).toFixed(9)} s`],["duration",c||h.end_ns===void 0?
"did not return":x(h.end_ns-(f??0))],["call site",ae(h.site?.slice(0,1))||"unknown"],...(h.site??[]).slice(1).
map(b=>["called from",ae([b])])]),m("div",{},m("h3",{},"Messages of this call"),A))]})}};function Kt(t){return m(
"dl",{class:"call"},...t.flatMap(([e,n])=>[m("dt",{},e),m("dd",{},n)]))}async function Qn(t,e,n,s,i,o,l){let a=[];
try{let r=await C("arrows",{t0:Math.floor(s),t1:Math.ceil(i),max:5e3},l,()=>{});for(let d of r.arrows??[]){let u=d.
from===n&&d.send===o.index,h=d.to===n&&d.receive===o.index;if(!u&&!h)continue;let c=u?d.to:d.from;if(a.push(m(
"dt",{},u?"to":"from"),m("dd",{},m("button",{type:"button",click:()=>t.call(0,c,0,u?d.receive:d.send)},`rank ${c}\
, call ${k(u?d.receive:d.send)}`),` ${d.bytes>=0?E(d.bytes):"size unknown"}, tag ${d.tag}`,d.wait_ns>0&&m("spa\
n",{class:"bad"},h?`; waited ${x(d.wait_ns)} for rank ${d.from}, which came late`:`; rank ${d.to} waited ${x(d.
wait_ns)} for this`))),a.length>40)break}}catch{}e.replaceChildren(...a.length?a:[m("dd",{},"none are known")])}var es=[["sizes","sizes of messages"],["durations","durations of calls"]],Wt={id:"histogram",title:"Histogram",
command:t=>["histogram",...t.detail==="durations"?["--durations"]:[]],key:t=>X(t)+(t.panel==="histogram"?t.detail:
""),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,o=i.detail==="durations"?"durations":"sizes",l=m("div",{class:"\
controls"},W("show ",es,o,r=>t.store.set({detail:r==="sizes"?"":r}))),a=[];if(o==="sizes"){let r=await C("hist\
ogram",z(i),n,s);for(let d of r.histograms)d.messages&&a.push(m("div",{},m("h3",{},`${d.kind==="p2p"?"point to\
 point":d.kind}: ${k(d.messages)} messages, ${E(d.bytes)}`),qt(d.bins.map(u=>({label:u.from===u.to?E(u.from):`${E(
u.from)} to ${E(u.to)}`,value:u.messages,text:`${k(u.messages)} messages, ${E(u.bytes)}`})))))}else{let r=await C(
"report",z(i),n,s);for(let d of[...r.calls??[]].sort((u,h)=>h.mpi.sum_ns-u.mpi.sum_ns).slice(0,6))a.push(m("di\
v",{},m("h3",{title:d.site},`${d.func} @ ${d.site.split(" < ")[0]}: median ${x(d.durations.p50_ns)}`),qt(ts(d.
durations.bins??[]).map(u=>({label:`${x(u.from_ns)} to ${x(u.to_ns)}`,value:u.count,text:`${k(u.count)} calls`})))))}
return[l,a.length?m("div",{class:"columns"},...a):m("p",{class:"empty"},"There is nothing of this kind in the \
selection.")]})}};function ts(t){let e=new Map;for(let n of t){let s=Math.floor(Math.log2(Math.max(1,n.from_ns))),
i=e.get(s);i?i.count+=n.count:e.set(s,{from_ns:2**s,to_ns:2**(s+1),count:n.count})}return[...e.values()]}function qt(t){
let e=Math.max(1,...t.map(l=>l.value)),n=150,s=110,i=ye("svg",{width:n+s+170,height:t.length*18+4,role:"list"});
t.forEach((l,a)=>{let r=a*18;i.append(ye("g",{role:"listitem","aria-label":`${l.label}: ${l.text}`},ye("text",
{x:n-6,y:r+13,"text-anchor":"end"},l.label),ye("rect",{class:"value",x:n,y:r+3,width:Math.max(1,l.value/e*s),height:13}),
ye("text",{x:n+l.value/e*s+5,y:r+13},l.text)))});let o=m("div",{class:"chart"});return o.append(i),o}var ns=20,We="functions:",Vt="";function dt(t,e=!1){return{name:t,value:0,calls:0,call:e,children:new Map}}function Xt(t,e,n=!1){
let s=t.children.get(e);return s||t.children.set(e,s=dt(e,n)),s}function ss(t,e){let n=dt(e?"time in calls":"c\
alls");for(let s of t.rows){let i=e?s.times?.total_ns??0:s.calls,o=[...s.site??[]].reverse().map(a=>a.func||(a.
file??"?").replace(/^.*\//,"")+(a.offset?"+0x"+a.offset.toString(16):"")),l=n;l.value+=i,l.calls+=s.calls;for(let a of[
...o,s.func??""])l=Xt(l,a,a===s.func&&a!==""),l.value+=i,l.calls+=s.calls}return n}function is(t){let e=dt(t.timed?
"time in functions":"calls of functions"),n=[e];for(let s of t.places){n.length=s.depth+1;let i=Xt(n[s.depth]??
e,s.name),o=t.timed?s.own_ns:s.calls;for(let l of n)l.value+=o;i.value+=o,i.calls+=s.calls,n.push(i)}return e.
calls=t.places.reduce((s,i)=>s+i.calls,0),e}var Jt={id:"icicle",title:"Icicle",command:t=>t.detail.startsWith(
We)?["functions","--tree"]:["profile","--by","site"],key:t=>X(t)+(t.panel==="icicle"?t.detail:""),show:(t,e)=>{
O(e,async(n,s)=>{let i=t.store.now,o=i.detail.startsWith(We),l=o?We:"",a=t.overview.kinds.includes("functions")?
m("div",{class:"controls"},W("of ",[["","call sites"],[We,"functions"]],l,b=>t.store.set({detail:b}))):null,r,
d,u="";if(o){let b=await C("functions",{rank:i.selection.rank},n,s);d=b.timed,r=is(b),b.complete||(u=" Not all\
 functions are shown: tabard functions --tree prints the rest."),Object.keys(i.selection).some(v=>v!=="rank")&&
(u+=" Of the selection only ranks count here: functions are of the whole run.")}else{let b=await C("profile",{
...z(i),by:"site"},n,s);d=b.time_ns!==void 0,r=ss(b,d)}if(!r.value)return[...a?[a]:[],m("p",{class:"empty"},"T\
here is nothing of this kind in the selection.")];let h=i.detail.slice(l.length).split(Vt).filter(Boolean),c=r;
for(let b of h)c=c.children.get(b)??c;let f=m("div",{class:"icicle",role:"tree","aria-label":"Functions by "+(d?
"time":"calls")}),p=Math.max(400,e.clientWidth-40),g=b=>`${b.name}: ${d?x(b.value):""} ${F(b.value/r.value)}, ${k(
b.calls)} calls`,w=0,M=(b,v,_,y)=>{let K=b.value/c.value*p;if(K<1.5||w++>3e3)return;let L=m("button",{type:"bu\
tton",role:"treeitem",title:g(b),"aria-label":g(b),click:()=>{b.call?t.store.select({function:b.name}):t.store.
set({detail:l+(b===c?y.slice(0,-1):y).join(Vt)})}},K>30?b.name:"");L.style.left=v+"px",L.style.top=_*ns+"px",L.
style.width=Math.max(1,K-1)+"px",L.style.background=b.call?ne(Y(3)):ne(Y(U.findIndex(N=>N.key==="lifecycle"))),
b.call?L.style.color="#111820":L.style.color="inherit",f.append(L);let D=v;for(let N of[...b.children.values()].
sort((ie,ue)=>ue.value-ie.value))M(N,D,_+1,[...y,N.name]),D+=N.value/c.value*p};M(c,0,0,h);let A=o?d?"their ti\
me":"the number of calls":d?"time in calls":"the number of calls";return[...a?[a]:[],m("p",{class:"empty"},`As\
 wide as ${A} of all selected ranks${o?"":"; orange: calls"}. A click unfolds, on the uppermost goes back.`+u),
f]})}};var Gt={id:"loops",title:"Loops",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.selection.function,
t.selection.step_loop,t.panel==="loops"?t.detail:""]),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,o=await C(
"loops",{rank:i.selection.rank,function:i.selection.function,step_loop:i.selection.step_loop},n,s),l=Math.max(
0,Math.min(o.classes.length-1,Number(i.detail)||0)),a=o.classes[l];if(!a)return[m("p",{class:"empty"},"No call\
s are selected.")];let r=m("div",{},m("p",{class:"empty"},"A loop, or all of a rank, as C: choose \u2018as C\u2019.")),
d=m("div",{class:"tree"},Zt(a.body,a.blocks??[],0,t,u=>{Yt(r,a.blocks??[],u)}));return[m("div",{class:"control\
s"},W("ranks that do the same ",o.classes.map((u,h)=>[String(h),`${u.ranks||"?"}${u.thread?", thread "+u.thread:
""} (${k(u.calls)} calls)`]),String(l),u=>t.store.set({detail:u==="0"?"":u})),m("span",{},`${k(o.classes.length)}\
 ${o.classes.length===1?"class":"classes"}`),m("button",{type:"button",click:()=>{Yt(r,a.blocks??[])}},"all of\
 it as C")),m("div",{class:"columns"},d,r)]})}};function os(t){let e=t.site?.[0],n=ae(e?[e]:[]);return e?.last_line&&
e.last_line!==e.line?n.replace(/:(\d+)/,`:$1-${e.last_line}`):n}function Zt(t,e,n,s,i){let o=m("ul",{role:n?"g\
roup":"tree"});for(let l of t){let a=l.body??(l.block!==void 0?e[l.block]:void 0),r=l.min===l.max?k(l.min):`${k(
l.min)} to ${k(l.max)}`,d=m("li",{role:"treeitem"}),u=l.share_of_time!==void 0?F(l.share_of_time)+" of time":F(
l.share_of_calls)+" of calls",h=l.kind==="call"?`${r==="1"?"":r+" \xD7 "}${l.func}`:l.kind==="loop"?`loop, ${r}\
 times`:l.kind==="mixed"?"calls in no regular order":"block",c=(l.params??[]).filter(p=>/^(dest|source|count|sendcount|tag|root|comm)$/.
test(p.name)).map(p=>`${p.name} ${p.relation?"= "+p.relation:p.values.join(", ")+(p.more?", \u2026":"")}`).join(
"; "),f=m("span",{class:"node"+(l.time_step?" step":"")},l.kind==="call"?m("button",{type:"button",class:"text",
click:()=>s.store.select({function:l.func??""})},h):m("span",{},h),l.time_step&&m("span",{class:"bad"},"time s\
tep"),m("span",{class:"count"},u),m("span",{class:"params"},c),m("span",{class:"params",title:ae(l.site)},os(l)),
l.kind==="loop"&&m("button",{type:"button",click:()=>i(l)},"as C"));if(a?.length&&n<40){let p,g=n<3,w=m("butto\
n",{type:"button",class:"toggle","aria-expanded":g?"true":"false","aria-label":"unfold "+h},g?"\u25BE":"\u25B8"),
M=A=>{w.setAttribute("aria-expanded",String(A)),T(w,A?"\u25BE":"\u25B8"),p?.remove(),p=void 0,A&&d.append(p=Zt(
a,e,n+1,s,i))};w.addEventListener("click",()=>M(!p)),d.append(w,f),g&&M(!0)}else d.append(m("span",{class:"tog\
gle"}),f);o.append(d)}return o}function Qt(t,e,n=0){if(t.func||n>40)return t.func;for(let s of t.body??(t.block!==
void 0?e[t.block]??[]:[])){let i=Qt(s,e,n+1);if(i)return i}}async function Yt(t,e,n){T(t,m("p",{class:"pending"},
"writing C \u2026"));try{let s=n?.site?.[0],i=await B("code",{times:n?.max,call:n?Qt(n,e):void 0}),o=i.text.split(
`
`),l=o.length>5e3?o.slice(0,5e3).join(`
`)+`
/* ${o.length-5e3} more lines: tabard proxy writes all */`:i.text;T(t,m("h3",{},`${i.title||(s?ae([s]):"")} (${k(
i.lines)} lines)`),m("pre",{class:"code",tabindex:0}));let a=t.querySelector("pre");a&&(a.textContent=l.replace(
/[^\S\n\t ]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,"\uFFFD"));
for(let r of i.notes??[])t.append(m("p",{class:"empty"},r))}catch(s){T(t,m("p",{class:"failed"},ce(s)))}}var we=24;function H(t){if(!t.rows.length)return m("p",{class:"empty"},t.empty??"There is nothing of this kind\
 in the selection.");let e=t.rows,n=t.sort??-1,s=!1,i=Math.max(0,t.chosen?e.findIndex(t.chosen):0),o=m("tbody"),
l=m("tr",{"aria-rowindex":1}),a=m("table",{role:"grid","aria-label":t.label,"aria-rowcount":e.length+1},m("the\
ad",{},l),o),r=m("div",{class:"scroll",tabindex:-1},a);function d(){let w=t.columns[n]?.by;e=w?[...t.rows].sort(
(M,A)=>{let b=w(M),v=w(A);return(b<v?-1:b>v?1:0)*(s?1:-1)}):t.rows}function u(){T(l,...t.columns.map((w,M)=>m(
"th",{scope:"col",class:(w.number?"number":"")+(w.wide?" wide":""),title:w.help,"aria-sort":n===M?s?"ascending":
"descending":void 0},w.by?m("button",{type:"button",click:()=>{s=n===M?!s:!w.number,n=M,d(),u(),i=0,c()}},w.title+
(n===M?s?" \u25B4":" \u25BE":"")):w.title)))}function h(w){let M=m("tr",{"aria-hidden":"true"},m("td",{colspan:t.
columns.length,class:"spacer"}));return M.firstChild.style.height=w*we+"px",M}function c(w=!1){let M=Math.max(
0,Math.floor(r.scrollTop/we)-10),A=Math.min(e.length,M+Math.ceil((r.clientHeight||600)/we)+20),b=[];M>0&&b.push(
h(M));for(let v=M;v<A;v++){let _=e[v],y=m("tr",{"aria-rowindex":v+2,tabindex:v===i?0:-1,"data-row":v,"aria-sel\
ected":t.chosen?.(_)?"true":void 0},...t.columns.map(K=>m("td",{class:(K.number?"number":"")+(K.wide?" wide":"")},
K.cell(_))));b.push(y),w&&v===i&&queueMicrotask(()=>y.focus({preventScroll:!0}))}A<e.length&&b.push(h(e.length-
A)),o.replaceChildren(...b)}function f(w){i=Math.max(0,Math.min(e.length-1,w));let M=i*we;M<r.scrollTop?r.scrollTop=
M:M+2*we>r.scrollTop+r.clientHeight&&(r.scrollTop=M+2*we-r.clientHeight),c(!0)}function p(w){let M=e[w];M===void 0||
!t.choose||(i=w,t.choose(M))}a.addEventListener("click",w=>{let M=w.target.closest("tr[data-row]");M&&!w.target.
closest("button, a")&&p(Number(M.dataset.row))}),a.addEventListener("keydown",w=>{if(!w.target.closest("tbody"))
return;let M=Math.max(1,Math.floor(r.clientHeight/we)-2),A={ArrowDown:i+1,ArrowUp:i-1,PageDown:i+M,PageUp:i-M,
Home:0,End:e.length-1}[w.key];if(A!==void 0)f(A);else if(w.key==="Enter"||w.key===" ")p(i);else return;w.preventDefault(),
w.stopPropagation()});let g=!1;return r.addEventListener("scroll",()=>{g||(g=!0,requestAnimationFrame(()=>{g=!1,
c(o.contains(document.activeElement))}))}),t.choose&&a.classList.add("choosable"),d(),u(),requestAnimationFrame(
()=>c()),c(),r}function V(t,e,n="bar"){let s=m("span",{class:"fill "+n,"aria-hidden":"true"});return s.style.width=
Math.max(0,Math.min(100,t*100))+"%",m("span",{class:"bar"},s,m("span",{class:"value"},e))}var en=[["p2p","point to point"],["collective","collectives"],["rma","one-sided"],["all","all"]],tn=[["bytes",
"bytes"],["messages","messages"]];function ut(t){let[e="",n=""]=t.split(",");return[en.some(([s])=>s===e)?e:"p\
2p",tn.some(([s])=>s===n)?n:"bytes"]}var nn={id:"matrix",title:"Matrix",command:t=>["matrix","--kind",ut(t.detail)[0]],
key:t=>JSON.stringify([t.selection,ut(t.detail)]),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,[o,l]=ut(i.detail),
a=await C("matrix",{...z(i),kind:o,bins:64},n,s),r=y=>a.columns.indexOf(y),[d,u,h,c]=[r("from"),r("to"),r("mes\
sages"),r("bytes")],f=a.cells??[],p=a.bins||a.processes,g=a.processes/p,w=y=>a.bins&&g>1?`${Math.ceil(y*g)}-${Math.
ceil((y+1)*g)-1}`:String(y),M=l==="bytes"?c:h,A=y=>l==="bytes"?E(y):l==="messages"?k(y):x(y),b=y=>{let K=[...new Set(
[y[d]??0,y[u]??0])].sort((L,D)=>L-D).map(w).join(",");t.store.select({rank:K})},v=rs(f,p,d,u,M,y=>y?`${w(y[d]??
0)} to ${w(y[u]??0)}: ${k(y[h]??0)} messages, ${E(y[c]??0)}`:"",b,A,Math.max(120,e.clientHeight-96)),_=a.totals[o];
return[m("div",{class:"controls"},W("messages ",en,o,y=>t.store.set({detail:`${y},${l}`})),W("colour ",tn,l,y=>t.
store.set({detail:`${o},${y}`})),_&&m("span",{},`${k(_.messages)} messages, ${E(_.bytes)}`+(_.nowhere?`; ${k(_.
nowhere)} to unknown partners`:"")),a.missing>0&&m("span",{class:"bad"},`${k(a.missing)} ranks are not selecte\
d or not recorded: what they send is not known`)),m("div",{class:"columns"},f.length?v:m("p",{class:"empty"},"\
No such messages in the selection."),m("div",{},H({label:"Messages by pairs of ranks",rows:f,sort:l==="bytes"?
3:2,choose:b,columns:[{title:a.bins&&g>1?"senders":"sender",number:!0,by:y=>y[d]??0,cell:y=>w(y[d]??0)},{title:a.
bins&&g>1?"receivers":"receiver",number:!0,by:y=>y[u]??0,cell:y=>w(y[u]??0)},{title:"messages",number:!0,by:y=>y[h]??
0,cell:y=>k(y[h]??0)},{title:"bytes",number:!0,by:y=>y[c]??0,cell:y=>E(y[c]??0)},{title:"mean size",number:!0,
by:y=>(y[c]??0)/(y[h]||1),cell:y=>E((y[c]??0)/(y[h]||1))}]})))]})}};function rs(t,e,n,s,i,o,l,a,r){let d=Math.
max(e,1),u=m("canvas",{width:d,height:d,role:"img","aria-label":"Senders from top to bottom, receivers from le\
ft to right. The table beside it has the same as text."}),h=Math.max(1,...t.map(v=>v[i]??0)),c=Math.min(...t.map(
v=>v[i]||1/0)),f=u.getContext("2d"),p=new Map;if(f){let v=f.createImageData(d,d);for(let _ of t){let[y,K,L]=[_[n]??
0,_[s]??0,_[i]??0];if(p.set(y*d+K,_),!L)continue;let D=h>c?Math.log(L/c)/Math.log(h/c):1,N=3*Math.round(255*Math.
max(0,Math.min(1,.06+.94*D)));v.data.set([I[N]??0,I[N+1]??0,I[N+2]??0,255],4*(y*d+K))}f.putImageData(v,0,0)}let g=m(
"p",{class:"under","aria-hidden":"true"},"rows send, columns receive"),w=Math.max(1,Math.min(28,Math.floor(r/d)));
u.style.width=w*d+"px",u.style.height=w*d+"px";let M=v=>p.get(Math.floor(v.offsetY/w)*d+Math.floor(v.offsetX/w));
u.addEventListener("pointermove",v=>T(g,o(M(v))||"rows send, columns receive")),u.addEventListener("click",v=>{
let _=M(v);_&&l(_)});let A=m("canvas",{class:"ramp",width:256,height:1,"aria-hidden":"true"}),b=A.getContext("\
2d");if(b){let v=b.createImageData(256,1);for(let _=0;_<256;_++)v.data.set([I[3*_]??0,I[3*_+1]??0,I[3*_+2]??0,
255],4*_);b.putImageData(v,0,0)}return m("div",{class:"narrow"},m("div",{class:"picture"},u),g,m("div",{class:"\
legend"},m("span",{class:"key"},Number.isFinite(c)?a(c):"",A,a(h))))}var Q=78,G=74,ve=18,on={id:"memory",title:"Memory",key:X,show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,{from_ns:o,
to_ns:l}=t.overview.grid??{from_ns:0,to_ns:1},a=pe(i.selection.time,o,l),r=a&&{t0:Math.max(0,Math.floor(a[0])),
t1:Math.ceil(a[1])},d=await C("inflight",{...z(i,["time"]),...r},n,s),u=d.rows.reduce((p,g)=>p+g.requests,0);if(!u)
return[m("p",{class:"empty"},"No request is in flight in the selection.")];let h=d.rows.reduce((p,g)=>p+g.unsized,
0),c=d.rows.reduce((p,g)=>p+g.open,0),f=d.rows.reduce((p,g)=>g.most_bytes>p.most_bytes?g:p);return[m("p",{class:"\
empty"},`Buffers of ${j(u,"request")}, from the call that begins an operation to the one that completes it. `+
(f.most_rank<0?"None of them binds anything in this time. ":`Most of one process: ${E(f.most_bytes)}, rank ${f.
most_rank} at ${re(f.most_ns,d.to_ns-d.from_ns)}. `)+(c?`${j(c,"request")} never completed. `:"")+(h?`Not coun\
ted: ${j(h,"request")} of unknown size.`:"")),m("div",{class:"columns"},as(t,d,Math.max(420,e.clientWidth/2-30)),
us(t,d))]})}};function as(t,e,n){let s=G+ve+Math.max(40,Math.min(140,e.rows.length*14)),i=m("canvas",{class:"i\
nflight",role:"img","aria-label":"Bytes in flight over time: above the sum of all ranks, below the most of a s\
ingle one in each row of ranks. The table beside it has the greatest ones. A click selects the time."}),o=devicePixelRatio||
1;i.width=Math.round(n*o),i.height=Math.round(s*o),i.style.width=n+"px",i.style.height=s+"px";let l=i.getContext(
"2d"),a=e.rows[0]?.mean_bytes.length??0,r=Array.from({length:a},(h,c)=>e.rows.reduce((f,p)=>f+(p.mean_bytes[c]??
0),0)),d=Math.max(1,...e.rows.map(h=>h.most_bytes));l&&(l.scale(o,o),ls(l,e,r,n),cs(l,e,d,n,s));let u=h=>Math.
max(0,Math.min(a-1,Math.floor((h-Q)/(n-Q)*a)));return i.addEventListener("pointermove",h=>{let c=u(h.offsetX),
f=e.from_ns+c*e.bin_ns,p=e.rows[Math.floor((h.offsetY-G-ve)/(s-G-ve)*e.rows.length)];i.title=`${re(f,e.to_ns-e.
from_ns)}, mean of ${x(e.bin_ns)}: ${E(r[c]??0)} of all`+(p?`; most of one of ${ds(p)}: ${E(p.peak_bytes[c]??0)}`:
"")}),i.addEventListener("click",h=>{let c=e.from_ns+u(h.offsetX)*e.bin_ns;t.store.select({time:Ue(c,Math.min(
e.to_ns,c+e.bin_ns)),steps:""})}),m("div",{class:"chart"},i)}function ls(t,e,n,s){let i=Math.max(1,...n),o=(s-
Q)/n.length;t.fillStyle=S("step"),n.forEach((l,a)=>{let r=l/i*(G-10);t.fillRect(Q+a*o,G-r,Math.max(o,.6),r)}),
t.fillStyle=S("faint"),t.strokeStyle=S("rule"),t.font="11px system-ui, DejaVu Sans, sans-serif",t.textAlign="r\
ight",t.textBaseline="middle",t.fillText(E(Math.max(0,...n)),Q-6,10),t.fillText("all",Q-6,G-8),t.fillText(re(e.
to_ns,e.to_ns-e.from_ns),s,G+ve/2),t.textAlign="left",t.fillText(re(e.from_ns,e.to_ns-e.from_ns),Q,G+ve/2),t.beginPath(),
t.moveTo(Q,G+.5),t.lineTo(s,G+.5),t.stroke()}function cs(t,e,n,s,i){let o=(i-G-ve)/e.rows.length,l=0;e.rows.forEach(
(a,r)=>{let d=G+ve+r*o,u=(s-Q)/a.peak_bytes.length;a.peak_bytes.forEach((h,c)=>{let f=3*Math.round(255*h/n);t.
fillStyle=`rgb(${I[f]??0},${I[f+1]??0},${I[f+2]??0})`,t.fillRect(Q+c*u,d,u+.5,o+(o<4?.5:-1))}),!(d<l)&&(l=d+12,
t.fillStyle=S("ink"),t.textAlign="right",t.fillText(a.processes>1?`${a.rank}\u2013${a.last_rank}`:`rank ${a.rank}`,
Q-6,d+Math.max(o/2,5)))})}function ds(t){return t.processes>1?`ranks ${t.rank}-${t.last_rank}`:`rank ${t.rank}`}
function us(t,e){let n=t.store.now,s=i=>i.processes>1?`${i.rank}-${i.last_rank}`:String(i.rank);return H({label:"\
Memory of requests in flight",rows:e.rows,chosen:i=>n.selection.rank===s(i),choose:i=>t.store.select({rank:n.selection.
rank===s(i)?"":s(i)}),columns:[{title:"ranks",number:!0,by:i=>i.rank,cell:s},{title:"most of one",number:!0,by:i=>i.
most_bytes,cell:i=>E(i.most_bytes),help:"the most that the buffers of one process take at a moment"},{title:"r\
ank",number:!0,by:i=>i.most_rank,cell:i=>i.most_rank<0?"":i.most_rank},{title:"at",number:!0,by:i=>i.most_ns,cell:i=>i.
most_rank<0?"":re(i.most_ns,e.to_ns-e.from_ns)},{title:"mean",number:!0,by:i=>sn(e,i),cell:i=>E(sn(e,i)),help:"\
of the time that is shown, of all ranks of the row together"},{title:"requests",number:!0,by:i=>i.requests,cell:i=>k(
i.requests),help:"of the whole run"},{title:"never completed",number:!0,by:i=>i.open,cell:i=>i.open?k(i.open):
""},{title:"",wide:!0,cell:()=>""}]})}function sn(t,e){return e.mean_bytes.reduce((s,i,o)=>s+i*(Math.min(t.to_ns,
t.from_ns+(o+1)*t.bin_ns)-t.from_ns-o*t.bin_ns),0)/Math.max(1,t.to_ns-t.from_ns)}var rn={id:"messages",title:"Messages",command:()=>["messages"],key:t=>JSON.stringify(t.selection),show:(t,e)=>{
O(e,async(n,s)=>{let i=t.store.now,[o,l]=t.window(),a=await C("messages",z(i),n,s),r=await C("arrows",{t0:Math.
floor(o),t1:Math.ceil(l),max:1},n,s).catch(()=>null),d=m("div",{},m("h3",{},`${k(a.messages)} messages, ${E(a.
bytes)}; ${k(a.unmatched_sends)} were never received, ${k(a.unmatched_receives)} receives got none`+(a.incomplete.
length?`; ${k(a.incomplete.length)} collectives lack members`:"")),a.unmatched.length?H({label:"Messages witho\
ut a partner",rows:a.unmatched,choose:c=>t.call(0,c.first.process,0,c.first.call),columns:[{title:"what",by:c=>c.
kind,cell:c=>c.kind},{title:"count",number:!0,by:c=>c.count,cell:c=>k(c.count)},{title:"bytes",number:!0,by:c=>c.
bytes,cell:c=>E(c.bytes)},{title:"ranks",cell:c=>c.processes},{title:"peer",number:!0,cell:c=>c.first.peer??"a\
ny"},{title:"tag",number:!0,cell:c=>c.first.tag??"any"},{title:"why",by:c=>c.reason,cell:c=>c.reason},{title:"\
call",wide:!0,cell:c=>`${c.function} @ ${c.site}`}]}):m("p",{class:"empty"},"Every message has a sender and a \
receiver."),a.incomplete.length?H({label:"Collectives that not all members made",rows:a.incomplete,choose:c=>t.
store.select({function:c.function}),columns:[{title:"missing",number:!0,by:c=>c.missing,cell:c=>`${c.missing} \
of ${c.members}`},{title:"came",cell:c=>"ranks "+c.present},{title:"collective",wide:!0,cell:c=>`${c.function}\
 @ ${c.site}`}]}):null),u=m("div",{},m("h3",{},"To whom, as functions of the rank"),H({label:"Partners as func\
tions of the rank",rows:r?.formulas??[],sort:0,empty:"No partner follows from the rank here.",choose:c=>t.store.
select({function:c.func}),columns:[{title:"calls",number:!0,by:c=>c.calls,cell:c=>k(c.calls)},{title:"formula",
by:c=>c.text,cell:c=>m("code",{},c.text)},{title:"ranks",by:c=>c.ranks,cell:c=>c.ranks},{title:"call",wide:!0,
by:c=>c.func,cell:c=>m("span",{title:c.site},`${c.func} @ ${c.site}`)}]})),h=r?.bundles?.length?m("div",{class:"\
narrow"},m("h3",{},"Pairs of ranks"),H({label:"Messages by pairs of ranks",rows:r.bundles,sort:3,choose:c=>t.store.
select({rank:c.from===c.to?String(c.from):[c.from,c.to].sort((f,p)=>f-p).join(",")}),columns:[{title:"from",number:!0,
by:c=>c.from,cell:c=>c.from},{title:"to",number:!0,by:c=>c.to,cell:c=>c.to},{title:"messages",number:!0,by:c=>c.
messages,cell:c=>k(c.messages)},{title:"bytes",number:!0,by:c=>c.bytes,cell:c=>E(c.bytes)}]})):null;return[m("\
div",{class:"columns"},d,u,...h?[h]:[])]})}};var an={id:"comms",title:"Communicators",command:()=>["info","--comms"],key:t=>String(t.selection.comm),show:(t,e)=>{
O(e,async(n,s)=>{let i=await C("comms",{},n,s);return[H({label:"Communicators",rows:i.communicators,chosen:o=>t.
store.now.selection.comm===String(o.id),choose:o=>t.store.select({comm:t.store.now.selection.comm===String(o.id)?
"":String(o.id)}),columns:[{title:"number",number:!0,by:o=>o.id,cell:o=>o.id},{title:"name",by:o=>o.name,cell:o=>o.
name+(o.labels?.length?` (${o.labels.join(", ")})`:"")},{title:"size",number:!0,by:o=>o.size,cell:o=>k(o.size)},
{title:"made",number:!0,by:o=>o.made,cell:o=>k(o.made)},{title:"freed",number:!0,by:o=>o.freed,cell:o=>k(o.freed)},
{title:"made by",by:o=>o.how,cell:o=>o.how},{title:"members",wide:!0,cell:o=>m("span",{title:o.members},o.members)},
{title:"where",wide:!0,by:o=>o.site??"",cell:o=>m("span",{title:o.site??""},o.site??"")}]})]})}},ln={id:"ranks",
title:"Ranks",command:()=>["report"],key:X,show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,l=(await C("report",
z(i,["rank"]),n,s)).ranks??[],a=Math.max(1,...l.map(r=>Math.max(r.mpi_ns,r.computation_ns)));return[H({label:"\
Ranks",rows:l,empty:"There are no times in the selection.",chosen:r=>i.selection.rank===String(r.process),choose:r=>t.
store.select({rank:i.selection.rank===String(r.process)?"":String(r.process)}),columns:[{title:"rank",number:!0,
by:r=>r.process,cell:r=>r.process},{title:"computation",number:!0,by:r=>r.computation_ns,cell:r=>V(r.computation_ns/
a,x(r.computation_ns))},{title:"in calls",number:!0,by:r=>r.mpi_ns,cell:r=>V(r.mpi_ns/a,x(r.mpi_ns),"warm")},{
title:"share in calls",number:!0,by:r=>r.mpi_ns/(r.mpi_ns+r.computation_ns||1),cell:r=>F(r.mpi_ns/(r.mpi_ns+r.
computation_ns||1))},{title:"calls",number:!0,by:r=>r.calls,cell:r=>k(r.calls)},{title:"begins",number:!0,by:r=>r.
begin_ns,cell:r=>x(r.begin_ns)},{title:"ends",number:!0,by:r=>r.end_ns,cell:r=>x(r.end_ns)},{title:"",wide:!0,
cell:()=>""}]})]})}},cn={id:"classes",title:"Classes",command:()=>["loops"],key:t=>JSON.stringify([t.selection.
rank,t.order,t.open]),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,o=await C("classes",{},n,s),l=xe(i.order===
"classes"?i.open:""),a=o.total-o.classes.length;return[m("h3",{},`${j(o.total,"class")} of threads that made t\
he same calls in the same order`+(a?`: the first ${o.classes.length}; the ranks of the others are rows of the \
map`:"")),H({label:"Classes",rows:o.classes,chosen:r=>!!i.selection.rank&&i.selection.rank===r.ranks,choose:r=>{
r.ranks&&t.store.select({rank:i.selection.rank===r.ranks?"":r.ranks})},columns:[{title:"class",number:!0,by:r=>r.
class,cell:r=>r.class},{title:"threads",number:!0,by:r=>r.lines,cell:r=>k(r.lines)},{title:"thread",number:!0,
by:r=>r.thread,cell:r=>r.thread},{title:"on the map",cell:r=>r.lines>1?m("button",{type:"button","aria-expande\
d":String(l.has(r.class)),"aria-label":`unfold class ${r.class} on the map`,click:()=>ct(t.store,r.class)},l.has(
r.class)?"fold":"unfold"):""},{title:"ranks",wide:!0,cell:r=>m("span",{title:r.ranks},r.ranks||`${k(r.lines)} \
ranks: a list too long to show`)}]})]})}},dn={id:"steps",title:"Steps",command:()=>["report"],key:t=>JSON.stringify(
[t.selection.steps,t.selection.step_loop]),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,o=await C("steps",{
step_loop:i.selection.step_loop},n,s),l=new Map((o.slow??[]).map(u=>[Math.floor(u.step/o.stride),u])),a=o.begin_ns.
map((u,h)=>({i:h,begin:u,length:o.length_ns[h]??0,mean:o.mean_ns[h]??0,work:o.computation_ns[h]??0,slow:l.get(
h)})),r=Math.max(1,...a.map(u=>u.length)),d=u=>o.stride>1?`${u*o.stride}-${Math.min(o.total,(u+1)*o.stride)-1}`:
String(u);return[m("h3",{},`${k(o.total)} time steps${o.loop?" of the loop at "+o.loop:o.region?" (region "+o.
region+")":""}, median ${x(o.median_ns)}`),H({label:"Time steps",rows:a,empty:"No time steps were found.",chosen:u=>i.
selection.steps===d(u.i),choose:u=>t.store.select({steps:i.selection.steps===d(u.i)?"":d(u.i),time:""}),columns:[
{title:"step",number:!0,by:u=>u.i,cell:u=>d(u.i)},{title:"begins",number:!0,by:u=>u.begin,cell:u=>`${(u.begin/
1e9).toFixed(6)} s`},{title:"slowest rank",number:!0,by:u=>u.length,cell:u=>V(u.length/r,x(u.length),u.slow?"w\
arm":"bar")},{title:"mean",number:!0,by:u=>u.mean,cell:u=>x(u.mean)},{title:"most computation",number:!0,by:u=>u.
work,cell:u=>x(u.work)},{title:"too long by",number:!0,by:u=>u.slow?.excess_ns??0,cell:u=>u.slow?x(u.slow.excess_ns):
""},{title:"because of",wide:!0,by:u=>u.slow?.cause??"",cell:u=>u.slow?`${u.slow.cause}${u.slow.process>=0?`, \
rank ${u.slow.process}`:""}`:""}]})]})}},un={id:"outliers",title:"Odd ranks",command:()=>["outliers"],key:X,show:(t,e)=>{
O(e,async(n,s)=>{let i=await C("outliers",z(t.store.now),n,s);return[H({label:"Ranks that did something else t\
han the others",rows:i.outliers,empty:`All ranks do what others do too (${k(i.variants.length)} ${i.variants.length===
1?"variant":"variants"} of calls).`,choose:o=>{let l=i.variants[o.variant]?.ranks??"",a=/^\d+/.exec(l)?.[0];t.
store.select({rank:l}),a&&t.call(0,Number(a),0,o.call)},columns:[{title:"ranks",by:o=>i.variants[o.variant]?.ranks??
"",cell:o=>i.variants[o.variant]?.ranks??""},{title:"like",cell:o=>i.variants[o.of]?`to ${i.variants[o.of]?.ranks}`:
""},{title:"how",by:o=>o.kind,cell:o=>o.kind},{title:"differences",number:!0,by:o=>o.differences,cell:o=>k(o.differences)},
{title:"what",wide:!0,by:o=>o.what,cell:o=>m("span",{title:o.what},o.what)}]})]})}},mn={id:"compare",title:"Co\
mpare",command:()=>["diff"],key:X,show:(t,e)=>{O(e,async(n,s)=>{let i=await C("diff",z(t.store.now),n,s),o=i.times,
l=Math.max(1,...(o?.sites??[]).map(a=>Math.abs(a.b_ns-a.a_ns)));return[m("div",{class:"columns"},m("div",{},m(
"h3",{},i.same?"No differences in calls":`${k(i.total_differences)} differences in calls`),H({label:"Differenc\
es",rows:i.differences,empty:"Both made the same calls.",choose:a=>{let r=a.loops?.find(u=>u.step),d=/^\d+/.exec(
a.ranks)?.[0];t.store.select({rank:a.ranks,...r?{steps:String(r.iteration),time:""}:{}}),d&&!r&&t.call(a.world??
0,Number(d),a.thread??0,a.call_a)},columns:[{title:"kind",by:a=>a.kind,cell:a=>a.kind},{title:"ranks",by:a=>a.
num_ranks,cell:a=>a.ranks},{title:"step",number:!0,by:a=>a.loops?.find(r=>r.step)?.iteration??-1,cell:a=>a.loops?.
find(r=>r.step)?.iteration??""},{title:"what",wide:!0,cell:a=>m("span",{title:a.text},a.text)}]})),m("div",{},
m("h3",{},o?`time ${x(o.elapsed_a_ns)} and ${x(o.elapsed_b_ns)}`:"no times"),o?H({label:"Time by call site in \
both",rows:o.sites,choose:a=>t.store.select({function:a.func}),columns:[{title:"second takes more",number:!0,by:a=>a.
b_ns-a.a_ns,cell:a=>V(Math.abs(a.b_ns-a.a_ns)/l,(a.b_ns>a.a_ns?"+":"")+x(a.b_ns-a.a_ns),a.b_ns>a.a_ns?"warm":"\
bar")},{title:"first",number:!0,by:a=>a.a_ns,cell:a=>x(a.a_ns)},{title:"second",number:!0,by:a=>a.b_ns,cell:a=>x(
a.b_ns)},{title:"call",wide:!0,by:a=>a.func,cell:a=>m("span",{title:a.site??""},`${a.func} @ ${a.site??""}`)}]}):
null),...i.notes?.length?[m("div",{class:"narrow"},...i.notes.map(a=>m("p",{class:"empty"},a)))]:[])]})}};var fn=[["site","call site"],["function","function"],["comm","communicator"],["rank","rank"]];function mt(t){return fn.
some(([e])=>e===t)?t:"site"}var pn={id:"sites",title:"Call sites",command:t=>["profile","--by",mt(t.detail)],key:t=>X(
t)+mt(t.detail),show:(t,e)=>{O(e,async(n,s)=>{let i=t.store.now,o=mt(i.detail),l=await C("profile",{...z(i),by:o},
n,s),a=h=>m("div",{class:"controls"},W("by ",fn,o,c=>t.store.set({detail:c==="site"?"":c})),m("span",{class:"n\
ote",role:"status"},h));if(o!=="site"||!t.overview.timed)return[a(""),Ve(t,l,null,o)];let r=h=>{e.firstElementChild?.
classList.contains("controls")&&T(e.firstElementChild.lastElementChild,h)},d=C("waits",z(i),n,h=>r(`waiting is\
 worked out: ${h.what} \u2026`)).catch(()=>null),u=await Promise.race([d,new Promise(h=>setTimeout(()=>h(void 0),
700))]);return u!==void 0?[a(""),Ve(t,l,u,o)]:(d.then(h=>{n.aborted||T(e,a(h?"":"waiting is not known"),Ve(t,l,
h,o))}),[a("waiting is worked out \u2026"),Ve(t,l,null,o)])})}};function Ve(t,e,n,s){let i=t.store.now,o=new Map,
l=new Map;for(let c of n?.causes??[])hn(o,c.late.func+" @ "+c.late.site,c.time_ns);for(let c of n?.waits??[])hn(
l,c.waiting.func+" @ "+c.waiting.site,c.time_ns);let a=e.rows.map(c=>{let f=ae(c.site),p=`${c.func} @ ${f}`;return{
...c,where:f,name:ms(c),caused:o.get(p)??0,waited:l.get(p)??0}}),r=e.elapsed_ns??0,d=e.time_ns!==void 0,u=Math.
max(1,...a.map(c=>c.times?.total_ns??0)),h=Math.max(1,...a.map(c=>c.caused));return H({label:"Calls, by "+s,rows:a,
sort:n||d?0:1,chosen:c=>s==="rank"?i.selection.rank===String(c.rank):s==="comm"?i.selection.comm===String(c.comm?.
id):!!c.func&&i.selection.function===c.func,choose:c=>{s==="rank"?t.store.select({rank:i.selection.rank===String(
c.rank)?"":String(c.rank)}):s==="comm"?t.store.select({comm:i.selection.comm===String(c.comm?.id)?"":String(c.
comm?.id)}):c.func&&t.store.select({function:i.selection.function===c.func?"":c.func})},columns:[...n?[{title:"\
causes waiting",number:!0,by:c=>c.caused||c.waited/1e9,help:"waiting of other ranks that goes back to ranks co\
ming late to these calls",cell:c=>c.caused?V(c.caused/h,x(c.caused),"warm"):""}]:[],...d?[{title:"time",number:!0,
by:c=>c.times?.total_ns??0,cell:c=>V((c.times?.total_ns??0)/u,x(c.times?.total_ns??0))},{title:"share",number:!0,
by:c=>c.times?.total_ns??0,help:"of the time of all ranks",cell:c=>F((c.times?.total_ns??0)/(s==="rank"?c.elapsed_ns||
1:r||1))}]:[],...n?[{title:"waiting in it",number:!0,by:c=>c.waited,cell:c=>c.waited?x(c.waited):""}]:[],{title:"\
calls",number:!0,by:c=>c.calls,cell:c=>k(c.calls)},...d?[{title:"mean",number:!0,by:c=>c.times?.mean_ns??0,cell:c=>c.
times?x(c.times.mean_ns):""},{title:"longest",number:!0,by:c=>c.times?.max_ns??0,cell:c=>c.times?x(c.times.max_ns):
""}]:[],{title:"bytes",number:!0,by:c=>c.bytes,cell:c=>c.bytes?E(c.bytes):""},...s==="site"||s==="function"?[{
title:"ranks",number:!0,by:c=>c.ranks,cell:c=>k(c.ranks)}]:[],{title:s==="site"?"function":s,by:c=>s==="rank"?
c.rank??0:c.name,cell:c=>c.name},...s==="site"?[{title:"call site",wide:!0,by:c=>c.where,cell:c=>m("span",{title:c.
where},c.where||"unknown")}]:[]]})}function ms(t){return t.comm?t.comm.name:t.rank!==void 0?(t.world?`w${t.world}\
:`:"")+t.rank:t.func??""}function hn(t,e,n){t.set(e,(t.get(e)??0)+n)}var gn=[["causes","causes"],["places","where they wait"],["ranks","ranks"],["steps","time steps"]];function bn(t){
let e={view:"causes"};for(let n of t.split(",")){let[s="",i]=n.split(":");s==="cause"&&i?e.cause=i:s==="kind"&&
i?e.kind=i:gn.some(([o])=>o===s)&&(e.view=s)}return e}function hs(t){return[t.view,t.cause&&"cause:"+t.cause,t.
kind&&"kind:"+t.kind].filter(Boolean).join(",")}var wn={id:"waits",title:"Waits",command:t=>{let e=bn(t.detail);return["waits",...e.cause?["--cause",e.cause]:
[],...e.kind?["--kind",e.kind]:[]]},key:t=>JSON.stringify([t.selection,t.detail]),show:(t,e)=>{O(e,async(n,s)=>{
let i=t.store.now,o=bn(i.detail),l=z(i,o.cause?["rank"]:[]),a=await C("waits",{...l,cause:o.cause,kind:o.kind},
n,s),r=c=>t.store.set({detail:hs({...o,...c})}),d=Object.entries(a.kinds).filter(([,c])=>c.count>0).sort((c,f)=>f[1].
time_ns-c[1].time_ns),u=Math.max(1,...d.map(([,c])=>c.time_ns)),h=m("div",{class:"narrow"},m("h3",{},`${x(a.total.
time_ns)} in ${k(a.total.count)} waits, ${F(a.total.time_ns/(a.elapsed_ns||1))} of the time`),H({label:"Kinds \
of waits",rows:d,empty:"Nobody waits for anybody in the selection.",chosen:([c])=>o.kind===c.replaceAll(" ","-"),
choose:([c])=>r({kind:o.kind===c.replaceAll(" ","-")?"":c.replaceAll(" ","-")}),columns:[{title:"pattern",by:([
c])=>c,cell:([c])=>c},{title:"waits",number:!0,by:([,c])=>c.count,cell:([,c])=>k(c.count)},{title:"time",number:!0,
by:([,c])=>c.time_ns,cell:([,c])=>V(c.time_ns/u,x(c.time_ns),"warm")}]}));return[m("div",{class:"controls"},W(
"show ",gn,o.view,c=>r({view:c})),o.cause!==void 0&&m("span",{},`only what rank ${o.cause} causes `,m("button",
{type:"button",click:()=>r({cause:""})},"show all")),o.kind!==void 0&&m("span",{},`only ${o.kind.replaceAll("-",
" ")} `,m("button",{type:"button",click:()=>r({kind:""})},"show all"))),m("div",{class:"columns"},h,m("div",{},
fs(a,o.view,t)))]})}};function fs(t,e,n){let s=a=>n.store.select({steps:String(a),time:""}),i=(a,r=-1)=>n.store.
select(r>=0?{rank:String(a),steps:String(r),time:""}:{rank:String(a)},{detail:`causes,cause:${a}`}),o=a=>m("sp\
an",{title:a},a);if(e==="places"){let a=Math.max(1,...t.waits.map(r=>r.time_ns));return H({label:"Where ranks \
wait",rows:t.waits,choose:r=>n.store.select({function:r.waiting.func}),columns:[{title:"time",number:!0,by:r=>r.
time_ns,cell:r=>V(r.time_ns/a,x(r.time_ns),"warm")},{title:"waits",number:!0,by:r=>r.count,cell:r=>k(r.count)},
{title:"longest",number:!0,by:r=>r.max_ns,cell:r=>x(r.max_ns)},{title:"pattern",by:r=>r.kind,cell:r=>r.kind},{
title:"waiting most",by:r=>r.waiters?.[0]?.process??-1,cell:r=>r.waiters?.[0]?`rank ${r.waiters[0].process}`:""},
{title:"for",by:r=>r.causers?.[0]?.process??-1,cell:r=>r.causers?.[0]?`rank ${r.causers[0].process}`:""},{title:"\
waiting in",wide:!0,by:r=>r.waiting.site,cell:r=>o(`${r.waiting.func} @ ${r.waiting.site}`)},{title:"late in",
wide:!0,by:r=>r.late.site,cell:r=>o(`${r.late.func} @ ${r.late.site}`)}]})}if(e==="ranks"){let a=Math.max(1,...t.
processes.map(d=>d.root_ns)),r=d=>Object.values(d.waited_ns).reduce((u,h)=>u+h,0);return H({label:"Ranks by th\
e waiting that goes back to them",rows:t.processes,sort:1,choose:d=>i(d.process),columns:[{title:"rank",number:!0,
by:d=>d.process,cell:d=>d.process},{title:"goes back to it",number:!0,by:d=>d.root_ns,cell:d=>V(d.root_ns/a,x(
d.root_ns),"warm")},{title:"others wait for it",number:!0,by:d=>d.caused_ns,cell:d=>x(d.caused_ns)},{title:"it\
 waits",number:!0,by:r,cell:d=>x(r(d))},{title:"mostly",wide:!0,cell:d=>Object.entries(d.waited_ns).sort((u,h)=>h[1]-
u[1])[0]?.[0]??""}]})}if(e==="steps"){let a=Math.max(1,...t.steps.map(r=>r.time_ns));return H({label:"Waiting \
by time step",rows:t.steps,sort:1,empty:"No time steps were found.",choose:r=>s(r.step),columns:[{title:"step",
number:!0,by:r=>r.step,cell:r=>k(r.step)},{title:"waiting",number:!0,by:r=>r.time_ns,cell:r=>V(r.time_ns/a,x(r.
time_ns),"warm")},{title:"because of",number:!0,by:r=>r.cause_ns,cell:r=>r.cause>=0?x(r.cause_ns):""},{title:"\
mostly because",wide:!0,cell:r=>{let d=t.causes[r.cause];return d?o(`rank ${d.process} comes late to ${d.late.
func} @ ${d.late.site}`):""}}]})}let l=Math.max(1,...t.causes.map(a=>a.time_ns));return H({label:"Causes of wa\
iting",rows:t.causes,choose:a=>i(a.process,a.worst_step),columns:[{title:"waiting",number:!0,by:a=>a.time_ns,cell:a=>V(
a.time_ns/l,x(a.time_ns),"warm")},{title:"waits",number:!0,by:a=>a.waits,cell:a=>k(a.waits)},{title:"late rank",
number:!0,by:a=>a.process,cell:a=>a.process},{title:"worst step",number:!0,by:a=>a.worst_step,cell:a=>a.worst_step>=
0?`${k(a.worst_step)} (${x(a.worst_step_ns)})`:""},{title:"comes late to",wide:!0,by:a=>a.late.site,cell:a=>o(
`${a.late.func} @ ${a.late.site}`)}]})}function vn(t,e,n,s){let i=[n[0]],o=[s[0]],l=t&&e&&t.stride===e.stride?Math.min(t.begin_ns.length,e.begin_ns.length):
0;for(let a=0;a<l;a++){let r=t?.begin_ns[a]??0,d=e?.begin_ns[a]??0;r>(i.at(-1)??0)&&d>(o.at(-1)??0)&&(i.push(r),
o.push(d))}return i.push(Math.max(n[1],(i.at(-1)??0)+1)),o.push(Math.max(s[1],(o.at(-1)??0)+1)),a=>{let r=0,d=i.
length-2;for(;r<d;){let p=r+d+1>>1;(i[p]??0)<=a?r=p:d=p-1}let[u=0,h=1,c=0,f=1]=[i[r],i[r+1],o[r],o[r+1]];return c+
(a-u)/(h-u)*(f-c)}}async function ht(t,e,n,s,i){let o=await B("overview",{rec:1});if(!o.grid||!t.overview.grid)
return;let l=await B("steps",{rec:1}).catch(()=>{}),a=[t.overview.grid.from_ns,t.overview.grid.to_ns],r=[o.grid.
from_ns,o.grid.to_ns],d=new Me({rec:1,overview:o,store:t.store,own:vn(i,l,a,r),shared:vn(l,i,r,a)});d.element.
classList.add("second"),n.append(m("h2",{},`${o.name}: coupled with the first by ${i?.total&&l?.total?"iterati\
on":"time"}`),d.element),s.push(d),l&&d.setSteps(l),bs(t,e,d)}var ps=40;async function bs(t,e,n){let s=await B(
"diff").catch(()=>null);for(let i of s?.differences.slice(0,ps)??[]){let o=Number(/^\d+/.exec(i.ranks)?.[0]??-1);
if(o<0)continue;let l=i.loops?.find(r=>r.step),a=()=>t.store.select({rank:i.ranks,...l?{steps:String(l.iteration),
time:""}:{}},{panel:"compare"});for(let[r,d,u]of[[0,e,i.call_a],[1,n,i.call_b]]){let c=(await B("calls",{rec:r||
void 0,rank:o,thread:i.thread||void 0,from:u,limit:1}).catch(()=>null))?.calls[0]?.start_ns;c!==void 0&&(d.markers.
push({at:c,rank:o,text:i.text,choose:a}),d.draw())}}}function yn(t){let e=m("ul",{class:"hits",id:"hits",role:"listbox","aria-label":"What was found",hidden:!0}),n=m(
"input",{type:"search",placeholder:"search  ( / )","aria-label":"Search functions, call sites, ranks, values",
role:"combobox","aria-controls":"hits","aria-expanded":"false",autocomplete:"off",spellcheck:"false",disabled:q}),
s=[],i=-1,o=new AbortController,l=0;function a(){e.hidden=!0,n.setAttribute("aria-expanded","false"),i=-1}function r(){
[...e.children].forEach((h,c)=>{h.setAttribute("aria-selected",String(c===i)),c===i&&h.scrollIntoView({block:"\
nearest"})}),i>=0?n.setAttribute("aria-activedescendant",`hit${i}`):n.removeAttribute("aria-activedescendant")}
function d(h){a(),n.blur();let c={};for(let[f,p]of Object.entries(h.select??{}))te.includes(f)&&(c[f]=p);t.store.
select(c),h.rank>=0&&(h.kind==="value"||h.kind==="site")&&t.call(0,h.rank,h.thread,h.call),t.say(`${h.kind} ${h.
text} selected`)}async function u(h){o.abort(),o=new AbortController;let c=o;if(!h)return a();e.hidden=!1,n.setAttribute(
"aria-expanded","true");try{let f=await B("search",{q:h,limit:50},{signal:c.signal,pending:p=>T(e,m("li",{},p.
what+" \u2026"))});if(c.signal.aborted)return;s=f.hits??[],i=s.length?0:-1,T(e,...s.map((p,g)=>m("li",{role:"o\
ption",id:`hit${g}`,pointerdown:w=>{w.preventDefault(),d(p)}},m("span",{class:"kind"},p.kind),m("span",{class:"\
text",title:p.text},p.text),m("span",{},p.calls?k(p.calls):""))),s.length?null:m("li",{},"Nothing is called th\
at."),f.more?m("li",{class:"kind"},"There is more: write more of it."):null),r()}catch(f){c.signal.aborted||T(
e,m("li",{class:"bad"},f instanceof Error?f.message:String(f)))}}return n.addEventListener("input",()=>{clearTimeout(
l),l=setTimeout(()=>{u(n.value.trim())},120)}),n.addEventListener("blur",a),n.addEventListener("keydown",h=>{let c=s.
length;if(h.key==="ArrowDown"&&c)i=(i+1)%c;else if(h.key==="ArrowUp"&&c)i=(i+c-1)%c;else if(h.key==="Enter"&&s[i])
d(s[i]);else if(h.key==="Escape")a(),n.blur();else return;h.preventDefault(),r()}),{element:m("div",{class:"se\
arch"},n,e),focus:()=>{n.focus(),n.select()}}}var se=54,le=78,Xe=class{constructor(e){this.store=e;this.element=m("div",{class:"strip"},this.canvas,this.tip),
new ResizeObserver(()=>this.draw()).observe(this.element),addEventListener("themechange",()=>this.draw()),e.listen(
(s,i)=>{s.selection.steps!==i.selection.steps&&this.draw()});let n=this.canvas;n.addEventListener("pointerdown",
s=>{n.setPointerCapture(s.pointerId),this.drag={x:s.offsetX,x1:s.offsetX}}),n.addEventListener("pointermove",s=>{
this.drag?(this.drag.x1=s.offsetX,this.draw()):this.point(s.offsetX)}),n.addEventListener("pointerleave",()=>this.
tip.hidden=!0),n.addEventListener("pointerup",()=>{let s=this.drag;this.drag=void 0;let i=this.steps;if(!s||!i?.
begin_ns.length)return;let[o,l]=[this.at(Math.min(s.x,s.x1)),this.at(Math.max(s.x,s.x1))],a=Math.min(i.total-1,
(l+1)*i.stride-1),r=o*i.stride;e.select({steps:r===a?String(r):`${r}-${a}`,time:""})})}store;element;canvas=m(
"canvas",{tabindex:0,role:"img"});tip=m("div",{class:"tip",hidden:!0});steps;width=0;waiting=!1;drag;show(e){this.
steps=e;let n=e.slow?.length??0;this.canvas.setAttribute("aria-label",`Durations of ${j(e.total,"time step")},\
 median ${x(e.median_ns)}, ${j(n,"step")} unusually long. The table Steps has the same as text.`),this.draw()}none(e){
T(this.element,m("p",{class:"empty"},e))}at(e){let n=this.steps?.begin_ns.length??1;return Math.max(0,Math.min(
n-1,Math.floor((e-le)/(this.width-le)*n)))}draw(){this.waiting||(this.waiting=!0,requestAnimationFrame(()=>{this.
waiting=!1,this.paint()}))}paint(){let e=this.steps;if(this.width=this.element.clientWidth,!e||!this.width)return;
let n=devicePixelRatio||1;this.canvas.width=this.width*n,this.canvas.height=se*n,this.canvas.style.width=this.
width+"px",this.canvas.style.height=se+"px";let s=this.canvas.getContext("2d");if(!s)return;s.setTransform(n,0,
0,n,0,0),s.fillStyle=S("paper"),s.fillRect(0,0,this.width,se);let i=e.length_ns.length;if(!i)return;let o=[...e.
length_ns].sort((c,f)=>c-f),l=Math.min(o[i-1]??1,Math.max((o[Math.floor(i*.99)]??1)*1.5,e.median_ns*4)),a=new Set(
(e.slow??[]).map(c=>Math.floor(c.step/e.stride))),r=be(this.store.now.selection.steps,e.total),d=this.width-le,
u=c=>se-2-Math.min(1,c/l)*(se-8),h=d/i;for(let c=0;c<i;c++){let f=le+c*h,p=e.length_ns[c]??0,g=r&&(c*e.stride+
e.stride-1<r[0]||c*e.stride>r[1]);s.globalAlpha=g?.35:1,s.fillStyle=a.has(c)?S("bad"):S("step");let w=Math.max(
h-(h>4?1:0),a.has(c)?2:.6);if(s.fillRect(f,u(p),w,se-u(p)),h>2){s.fillStyle=S("stepwork");let M=u(e.computation_ns[c]??
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
x"}};var $=new Ae;async function gs(){let t;try{t=await B("overview")}catch(e){document.body.replaceChildren(m("p",
{class:"fatal",role:"alert"},ce(e)));return}document.title=oe(t.name)+" - tabard",ws(t)}function ws(t){let e=m(
"span",{class:"status",role:"status"}),n=h=>T(e,h),s,i=[],o=()=>i[0],l=[t.grid?.from_ns??0,t.grid?.to_ns??1],a={
store:$,overview:t,say:n,steps:()=>s,look:(h,c)=>{let f=o();f&&f.look(h,c,f.view[2],f.view[3],!1)},call:(h,c,f,p)=>$.
set({call:[h,c,f,p],panel:"call"}),window:()=>pe($.now.selection.time,...l)??l},r=yn(a),d=[pn,wn,Ut,rn,nn,Gt,Jt,
Wt,on,ln,cn,dn,an,un];t.recordings>1&&d.push(mn);let u=m("div",{class:"maps"});if(t.grid&&t.timed){let h=new Xe(
$),c=new Me({rec:0,overview:t,store:$});i.push(c),u.append(m("div",{class:"bar-of-map"},kn("colour ",Rt,"color",
f=>$.set({color:f})),kn("rows ",vs(t.grid.orders),"order",f=>$.set({order:f,view:void 0})),At($,c)),h.element,
c.element),B("steps").then(f=>{if(s=f,!f.total)return h.none("No time steps were found in this run (see tabard\
 loops).");h.show(f),c.setSteps(f),t.recordings>1&&ht(a,c,u,i,f)},f=>{h.none(ce(f)),t.recordings>1&&ht(a,c,u,i,
void 0)})}else u.append(m("p",{class:"empty"},"This recording has no times of calls, so that there is no map. \
The tables below are complete."));document.body.replaceChildren(m("div",{},m("a",{href:"#panel",class:"skip",click:h=>{
h.preventDefault(),document.getElementById("panel")?.focus()}},"skip to the tables"),ys(t,r.element,a,d),_t(a),
xs(n),$t(t)),m("main",{},u,St(a)),_s(),Ms(d,a),m("footer",{},e,m("span",{},t.version)));for(let h of document.
querySelectorAll(".panel"))h.id="panel";Cs(a,r.focus,i,d,l),addEventListener("jump",h=>{Je(h.detail,a,l)}),Object.
assign(window,{tabard:{frames:()=>i.flatMap(h=>h.frames),first:()=>i[0]?.firstPicture??NaN,calls:()=>i[0]?.callsDrawn()??
[],bands:()=>i[0]?.bandsDrawn()??[],near:h=>i[0]?.near(h)}})}function vs(t){let e={rank:"ranks",class:"ranks b\
y class",host:"ranks by host"},n=t.map(s=>[s,e[s]??s]);return q?n:[...n,["classes","classes"]]}function kn(t,e,n,s){
let i=W(t,e,$.now[n],s);return $.listen(o=>{let l=i.querySelector("select");l&&(l.value=o[n])}),i}function ys(t,e,n,s){
let i=(o,l,a)=>m("button",{type:"button",title:l,"aria-label":l,click:a},o);return m("header",{},m("h1",{title:t.
name},t.name),m("span",{class:"what",title:`${t.command.join(" ")}
${t.mpi}`},`${t.command.join(" ")} \u2014 ${j(t.hosts,"host")}, ${t.created.slice(0,16).replace("T"," ")}`),e,
i("\u21B6","Undo (U)",()=>$.undo()),i("\u21B7","Redo (Shift+U)",()=>$.redo()),i("copy as command","Copy as com\
mand (C)",()=>{Mn(n,s)}),i("export","Export the selection (E)",()=>_n(n,s)),i("\u25D0","Dark or light (T)",xn),
i("?","Help (?)",Ge))}function xn(){let t=document.documentElement.dataset.theme??(matchMedia("(prefers-color-\
scheme: dark)").matches?"dark":"light");document.documentElement.dataset.theme=t==="dark"?"light":"dark",dispatchEvent(
new Event("themechange"))}var ft={rank:"ranks",function:"functions",comm:"communicator",time:"time",in:"region",
steps:"steps",step_loop:"step loop"},ks={rank:"0,4-7",function:"p2p,MPI_Allreduce",comm:"0",time:"10%..30%",in:"\
solve",steps:"10-19",step_loop:"100"};function xs(t){let e=new Map,n=m("section",{class:"selection","aria-labe\
l":"Selection"}),s=m("button",{type:"button",title:"Select everything (Esc)",click:()=>$.set({selection:{}})},
"clear");for(let o of te){if(o==="step_loop")continue;let l=m("input",{placeholder:"all",title:`${ft[o]}, e.g.\
 ${ks[o]}`,"aria-label":ft[o],spellcheck:"false",autocomplete:"off"});l.addEventListener("change",()=>$.select(
{[o]:l.value.trim()})),l.addEventListener("keydown",a=>{a.key==="Escape"&&l.blur()}),e.set(o,l),n.append(m("la\
bel",{class:o},ft[o],l))}n.append(s);let i=()=>{for(let[o,l]of e)l.value=$.now.selection[o]??"",l.classList.toggle(
"set",!!$.now.selection[o]);s.disabled=!Object.keys($.now.selection).length};return $.listen((o,l)=>{i(),o.selection!==
l.selection&&t(Object.keys(o.selection).length?"selected: "+et(o.selection):"everything is selected")}),i(),n}
function Ms(t,e){let n=m("div",{role:"tablist","aria-label":"Panels"}),s=m("div",{class:"panel",role:"tabpanel",
tabindex:-1}),i="",o=()=>t.find(d=>d.id===$.now.panel)??t[0],l=d=>$.set({panel:d.id,detail:""}),a=t.map(d=>m("\
button",{type:"button",role:"tab",id:"tab-"+d.id,click:()=>l(d)},d.title));n.append(...a),n.addEventListener("\
keydown",d=>{let u=t.indexOf(o()),h={ArrowRight:u+1,ArrowLeft:u-1,Home:0,End:t.length-1}[d.key],c=h===void 0?void 0:
t[(h+t.length)%t.length];c&&(d.preventDefault(),d.stopPropagation(),l(c),a[t.indexOf(c)]?.focus())});let r=()=>{
let d=o();t.forEach((c,f)=>{a[f]?.setAttribute("aria-selected",String(c===d)),a[f]?.setAttribute("tabindex",c===
d?"0":"-1")}),s.setAttribute("aria-labelledby","tab-"+d.id);let u=d.id+d.key($.now);if(u===i)return;let h=s.contains(
document.activeElement);i=u,d.show(e,s),h&&s.focus()};return $.listen(r),addEventListener("themechange",()=>{i=
"",r()}),r(),m("section",{class:"bottom","aria-label":"Panels"},n,s)}function _s(){let t=m("button",{type:"but\
ton",class:"grip","aria-label":"Move the border between map and tables: up and down keys"}),e=n=>document.body.
style.setProperty("--bottom",Math.max(80,Math.min(innerHeight-330,n))+"px");return t.addEventListener("pointer\
down",n=>t.setPointerCapture(n.pointerId)),t.addEventListener("pointermove",n=>{t.hasPointerCapture(n.pointerId)&&
e(innerHeight-n.clientY-22)}),t.addEventListener("keydown",n=>{let s={ArrowUp:30,ArrowDown:-30}[n.key];s&&(n.stopPropagation(),
n.preventDefault(),e((document.querySelector(".bottom")?.clientHeight??264)+s))}),t}var $s={info:[],dump:[],functions:[
"rank"],outliers:["rank"],loops:["rank","function","step_loop"]};function Ss(t,e){let n=e.find(a=>a.id===$.now.
panel)??e[0];if(!n.command)return;let[s="report",...i]=n.command($.now),o=$s[s],l=Object.fromEntries(Object.entries(
$.now.selection).filter(([a])=>o?.includes(a)??!0));return["tabard",s,ke(t.overview.name),...i.map(ke),et(l)].
filter(Boolean).join(" ")}async function Mn(t,e){let n=Ss(t,e);if(!n)return t.say("No command prints this pane\
l: E saves it as text.");Re("The tabard line that prints the same",n,t.say)}function _n(t,e){let n=t.overview.
name.replace(/\.tabard$/,""),s=e.find(i=>i.id===$.now.panel)??e[0];yt([{text:`save what \u201C${s.title}\u201D show\
s as text (.csv)`,run:()=>Ze(`${n}-${s.id}.csv`,new Blob([Ts()],{type:"text/csv"}))},{text:"save the picture o\
f the map (.png)",run:()=>document.querySelector(".map canvas")?.toBlob(i=>i&&Ze(`${n}.png`,i))},{text:"copy t\
he link to this view",run:()=>Re("The link to this view",$.link,t.say)},{text:"copy the line that writes the s\
election in the format of another tool",run:()=>Re("Export",["tabard export",ke(t.overview.name),...["rank","t\
ime","steps"].filter(i=>$.now.selection[i]).map(i=>`--${i} ${ke($.now.selection[i]??"")}`)].join(" "),t.say)}])}
function Ts(){let t=e=>{let n=(e.textContent??"").trim(),s=/^[=+@\t\r-]/.test(n)&&!/^[-+]?[\d.]/.test(n)?"'"+n:
n;return/[",\n]/.test(s)?'"'+s.replaceAll('"','""')+'"':s};return[...document.querySelectorAll(".panel table")].
map(e=>[...e.querySelectorAll("tr:not([aria-hidden])")].map(n=>[...n.children].map(t).join(",")).join(`
`)).join(`

`)+`
`}async function Je(t,e,n){let s=e.steps();if(!s?.total)return e.say("No time steps were found in this run.");
t=Math.max(0,Math.min(s.total-1,t));let i=s.begin_ns[Math.floor(t/s.stride)]??n[0],o=i+(s.length_ns[Math.floor(
t/s.stride)]??0);if(!q)try{let r=await B("step",{k:t});[i,o]=[r.begin_ns,r.end_ns]}catch{}let l=$.now.view,a=Math.
max(1,o-i)*.04;$.select({steps:String(t),time:""},{view:[i-a,o+a,l?.[2]??0,l?.[3]??e.overview.grid?.lines??1]})}
function pt(t,e){let n=t.steps();if(!n)return 0;let s=be($.now.selection.steps,n.total);if(s)return s[0];let i=$.
now.view,o=i?(i[0]+i[1])/2:e[0],l=-1;for(let a of n.begin_ns){if(a>o)break;l++}return l*n.stride}function Cs(t,e,n,s,i){
let o=()=>{let r=[...t.steps()?.slow??[]].map(u=>u.step).sort((u,h)=>u-h);if(!r.length)return t.say("No time s\
tep takes unusually long.");let d=$.now.selection.steps?pt(t,i):-1;Je(r.find(u=>u>d)??r[0]??0,t,i)},l=n[0],a={
w:()=>l?.zoom(.7),s:()=>l?.zoom(1/.7),a:()=>l?.pan(-.2),d:()=>l?.pan(.2),ArrowLeft:()=>l?.pan(-.2),ArrowRight:()=>l?.
pan(.2),ArrowUp:()=>l?.scroll(-.2),ArrowDown:()=>l?.scroll(.2),"+":()=>l?.zoomLines(.5),"=":()=>l?.zoomLines(.5),
"-":()=>l?.zoomLines(2),0:()=>$.set({view:void 0}),f:()=>l?.fit(),"[":()=>{Je(pt(t,i)-1,t,i)},"]":()=>{Je(pt(t,
i)+1,t,i)},o,"/":e,"?":Ge,x:()=>l?.unfold(),u:()=>$.undo(),U:()=>$.redo(),t:xn,Escape:()=>$.set({selection:{}}),
m:()=>{for(let r of n)r.messages=!r.messages,r.draw();t.say(l?.messages?"messages are drawn":"messages are not\
 drawn")},c:()=>{Mn(t,s)},e:()=>_n(t,s)};s.slice(0,9).forEach((r,d)=>a[String(d+1)]=()=>$.set({panel:r.id,detail:""})),
addEventListener("keydown",r=>{if(r.target.closest("input, textarea, select, dialog"))return;if((r.ctrlKey||r.
metaKey)&&!r.altKey){let h={z:()=>r.shiftKey?$.redo():$.undo(),Z:()=>$.redo(),y:()=>$.redo()}[r.key];return h?
(r.preventDefault(),h()):void 0}if(r.ctrlKey||r.metaKey||r.altKey)return;let u=a[r.key]??(r.key.length===1?a[r.
key.toLowerCase()]:void 0);u&&(r.preventDefault(),u())}),addEventListener("themechange",()=>n.forEach(r=>r.draw()))}
gs();})();
