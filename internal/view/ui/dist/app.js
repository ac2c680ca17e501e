"use strict";(()=>{var Z=class extends Error{constructor(n,s){super(s);this.status=n}status},ue=(()=>{let t=document.getElementById(
"tabard-data");return t?JSON.parse(t.textContent??"{}").answers:null})(),q=ue!==null;function _e(t,e={}){let n=Object.
keys(e).sort().filter(s=>e[s]!==void 0&&e[s]!=="").map(s=>`${encodeURIComponent(s)}=${encodeURIComponent(String(
e[s]))}`);return"/api/"+t+(n.length?"?"+n.join("&"):"")}var ae=new Map,kn=200;function xn(t,e){let n=ae.get(t);
if(n)return ae.delete(t),ae.set(t,n),n;let s=e();ae.set(t,s),s.catch(()=>ae.delete(t));for(let i of ae.keys()){
if(ae.size<=kn)break;ae.delete(i)}return s}function ft(){return new Z(404,"This is not in this file: open the \
recording itself with tabard view.")}async function Mn(t){if(!ue||!(t in ue))throw ft();let e=ue[t];if(typeof e==
"object"&&e.error)throw new Z(409,e.error);return e}async function pt(t,e){for(;;){let n;try{n=await fetch(t,{
signal:e.signal??null,credentials:"same-origin"})}catch(s){throw e.signal?.aborted?s:new Z(0,"The server does \
not answer: has tabard view ended? Start it again, and reload this page.")}if(n.status!==202)return n;if(e.pending?.(
await n.json()),await new Promise(s=>setTimeout(s,300)),e.signal?.aborted)throw new DOMException("aborted","Ab\
ortError")}}async function bt(t){if(t.status===401||t.status===403)return new Z(t.status,"This page may not as\
k the server: open the address that tabard view printed.");try{return new Z(t.status,(await t.json()).error)}catch{
return new Z(t.status,`The server answered with status ${t.status}.`)}}function j(t,e={},n={}){let s=_e(t,e);return ue?
Mn(s):xn(s,async()=>{let i=await pt(s,n);if(!i.ok)throw await bt(i);return await i.json()})}async function Le(t,e={}){
if(ue){let s=ue[t];if(typeof s!="string")throw ft();return Uint8Array.from(atob(s),i=>i.charCodeAt(0)).buffer}
let n=await pt(t,e);if(!n.ok)throw await bt(n);return n.arrayBuffer()}var _n=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;function se(t){return t.replace(_n,e=>{let n=e.codePointAt(0)??
0;return n===10?"\\n":n===9?"\\t":n<256?"\\x"+n.toString(16).padStart(2,"0"):n<65536?"\\u"+n.toString(16).padStart(
4,"0"):"\\U"+n.toString(16).padStart(8,"0")})}function m(t,e={},...n){let s=document.createElement(t);return gt(
s,e),C(s,...n),s}function ye(t,e={},...n){let s=document.createElementNS("http://www.w3.org/2000/svg",t);return gt(
s,e),C(s,...n),s}function gt(t,e){for(let[n,s]of Object.entries(e))typeof s=="function"?t.addEventListener(n,s):
typeof s=="string"?t.setAttribute(n,se(s)):typeof s=="number"?t.setAttribute(n,String(s)):s===!0&&t.setAttribute(
n,"")}function C(t,...e){t.replaceChildren(...e.filter(n=>n!=null&&n!==!1).map(n=>n instanceof Node?n:se(String(
n))))}function Je(t,...e){let n=m("dialog",{"aria-label":t},m("h2",{},t),...e,m("div",{class:"controls"},m("form",{method:"\
dialog"},m("button",{},"close"))));n.addEventListener("close",()=>n.remove()),document.body.append(n),n.showModal()}
var $n=[["W S","zoom in and out in time"],["A D","move in time"],["\u2190 \u2192","move in time"],["\u2191 \u2193",
"move over ranks"],["+ \u2212","fewer, more ranks"],["X","classes of ranks; unfold, fold them"],["0","the whol\
e run"],["F","look at the selection"],["[ ]","previous, next iteration"],["O","next outlier iteration"],["/","\
search"],["U, Ctrl+Z","undo (also: back)"],["Shift+U, Ctrl+Y","redo"],["Esc","select everything again"],["M","\
messages on, off"],["C","copy as command"],["E","export"],["T","dark, light"],["1 \u2026 9","the panels"],["wh\
eel","zoom in time; Shift: move; Alt: ranks"],["drag","select time and ranks; Shift: move"],["click","select a\
 rank, or show a call; Ctrl: more ranks"],["double click","look at the selection"]];function Ye(){Je("Keys and\
 mouse",m("div",{class:"keys"},...$n.flatMap(([t,e])=>[m("kbd",{},t),m("span",{},e)])),m("p",{},"All panels sh\
ow what is selected: ranks, functions, communicators, time and steps, in the words of the command line. Tables\
: arrow keys, Page Up and Down, Home, End, and Enter to choose; Tab goes to the next part of the page."))}function Ee(t,e,n){
let s=m("textarea",{readonly:!0,rows:Math.min(8,Math.ceil(e.length/80)+1),cols:84,"aria-label":t});s.value=e,navigator.
clipboard?.writeText(e).then(()=>n("copied: "+e),()=>{}),Je(t,s),s.focus(),s.select()}function wt(t){Je("Take \
along",...t.map(e=>m("p",{},m("button",{type:"button",click:()=>e.run()},e.text))))}function Ge(t,e){let n=URL.
createObjectURL(e);m("a",{href:n,download:t}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4)}function $e(t,e){if(t===0)return"0";let n=Number(t.toExponential(e-1).split("e")[1]);return n<-6||n>15?t.toPrecision(
e):t.toFixed(Math.max(0,e-1-n))}function x(t){let e=Math.abs(t);if(e<999.5)return(Number.isInteger(t)?String(t):
$e(t,3))+" ns";if(e<999500)return $e(t/1e3,3)+" us";if(e<9995e5)return $e(t/1e6,3)+" ms";if(e<11995e7)return $e(
t/1e9,3)+" s";if(e<72e11){let s=Math.round(t/1e9);return`${Math.trunc(s/60)} min ${Math.abs(s%60)} s`}let n=Math.
round(t/6e10);return`${Math.trunc(n/60)} h ${Math.abs(n%60)} min`}function L(t){if(Math.abs(t)<1024)return(Number.
isInteger(t)?String(t):$e(t,3))+" B";let e=0;for(t/=1024;Math.abs(t)>=1023.95&&e<5;e++)t/=1024;return`${t.toFixed(
1)} ${"KMGTPE"[e]}iB`}function k(t){return String(Math.round(t)).replace(/\B(?=(\d{3})+$)/g,",")}function z(t){
let e=100*t;return Number.isNaN(e)?"-":e>0&&e<.05?"<0.1%":e.toFixed(1)+"%"}function H(t,e){return t===1?"1 "+e:
k(t)+" "+e+(/(s|ch)$/.test(e)?"es":"s")}function ie(t,e){let n=Math.min(9,Math.max(0,2-Math.floor(Math.log10(Math.max(e,1)/1e9))));return(t/1e9).toFixed(
n)+" s"}function B(t,e=[]){let n={};for(let[s,i]of Object.entries(t.selection))e.includes(s)||(n[s]=i);return n}function X(t){
return JSON.stringify(t.selection)}function le(t){return t instanceof Z?t.message:`This page failed: ${t instanceof
Error?t.message:String(t)}`}function Sn(t){return t instanceof Z&&(t.status===409||t.status===404)}var yt=new WeakMap;
async function A(t,e,n=s=>C(t,m("p",{class:"pending",role:"status"},s))){yt.get(t)?.abort();let s=new AbortController;
yt.set(t,s),t.setAttribute("aria-busy","true");let i=setTimeout(()=>{s.signal.aborted||n("\u2026")},150),r=l=>{
if(s.signal.aborted)return;clearTimeout(i);let a=l.total>0?`: ${k(l.done)} of ${k(l.total)}`:l.done>0?`: ${k(l.
done)}`:"";n(l.what+a+" \u2026")};try{let l=await e(s.signal,r);s.signal.aborted||C(t,...l)}catch(l){s.signal.
aborted||C(t,m("p",{class:Sn(l)?"empty":"failed",role:"status"},le(l)))}clearTimeout(i),s.signal.aborted||t.removeAttribute(
"aria-busy")}function P(t,e,n,s){return j(t,e,{signal:n,pending:s})}function Tn(t){let e=(t.file??"").replace(
/^.*\//,"");return t.line?`${e}:${t.line}`+(t.func?` [${t.func}]`:""):t.code?t.code:t.offset!==void 0?`${e||t.
func||"?"}+0x${t.offset.toString(16)}`:t.func??e}function oe(t){return(t??[]).map(Tn).join(" < ")}function V(t,e,n,s){
let i=m("select",{change:r=>s(r.target.value)},...e.map(([r,l])=>m("option",{value:r,selected:r===n},l)));return m(
"label",{},t,i)}var ee=["rank","function","comm","time","in","steps","step_loop"],Cn={rank:"--rank",function:"--function",comm:"\
--comm",time:"--time",in:"--in",steps:"--steps",step_loop:"--step-loop"},me={selection:{},panel:"sites",color:"\
activity",order:"rank",open:"",detail:""};function Ze(t){let e=new URLSearchParams;for(let n of ee)t.selection[n]&&
e.set(n,t.selection[n]);return t.view&&e.set("view",t.view.map(n=>String(Math.round(n))).join("_")),t.panel!==
me.panel&&e.set("panel",t.panel),t.color!==me.color&&e.set("color",t.color),t.order!==me.order&&e.set("order",
t.order),t.open&&e.set("open",t.open),t.call&&e.set("call",t.call.join(".")),t.detail&&e.set("detail",t.detail),
e.toString()}function vt(t,e){let n=(t??"").split(e).map(Number);if(!(n.length!==4||n.some(s=>!Number.isFinite(
s))))return n}function kt(t){let e=new URLSearchParams(t.replace(/^#/,"")),n={...me,selection:{}};for(let s of ee){
let i=e.get(s);i&&(n.selection[s]=i)}return n.view=vt(e.get("view"),"_"),n.view&&(n.view[1]<=n.view[0]||n.view[3]<
1)&&(n.view=void 0),n.call=vt(e.get("call"),"."),n.panel=e.get("panel")??me.panel,n.color=e.get("color")??me.color,
n.order=e.get("order")??me.order,n.open=e.get("open")??"",n.detail=e.get("detail")??"",n}var Re=class{state=kt(
location.hash);listeners=[];place=0;last=0;moved=0;late;constructor(){history.replaceState({place:0},""),addEventListener(
"popstate",e=>{let n=e.state?.place;n===void 0?history.replaceState({place:++this.place},""):this.place=n,this.
last=Math.max(this.last,this.place),this.moved=0,clearTimeout(this.late),this.late=void 0,this.enter(kt(location.
hash))})}get now(){return this.state}listen(e){this.listeners.push(e)}set(e,n=!1){let s={...this.state,...e},i=Ze(
s);if(i===Ze(this.state))return;let r=n&&performance.now()-this.moved<800;this.moved=n?performance.now():0,r?this.
late??=setTimeout(()=>this.settle(),300):(this.settle(),this.last=++this.place,history.pushState({place:this.place},
"","#"+i)),this.enter(s)}settle(){this.late!==void 0&&(clearTimeout(this.late),this.late=void 0,history.replaceState(
{place:this.place},"","#"+Ze(this.state)))}select(e,n={}){let s={...this.state.selection,...e};for(let i of ee)
s[i]||delete s[i];this.set({...n,selection:s})}get link(){return this.settle(),location.href}undo(){this.settle(),
this.place>0&&history.back()}redo(){this.settle(),this.place<this.last&&history.forward()}enter(e){let n=this.
state;this.state=e;for(let s of this.listeners)s(e,n)}};function ve(t){return/^[\w@%+=:,./-]+$/.test(t)?t:"'"+
t.replaceAll("'","'\\''")+"'"}function Qe(t){return ee.filter(e=>t[e]).map(e=>`${Cn[e]} ${ve(t[e]??"")}`).join(
" ")}function Ae(t){let e=[...new Set(t)].sort((s,i)=>s-i),n=[];for(let s=0;s<e.length;){let i=s;for(;i+1<e.length&&
e[i+1]===(e[i]??0)+1;)i++;n.push(s===i?String(e[s]):`${e[s]}-${e[i]}`),s=i+1}return n.join(",")}function Ne(t,e){
return t?t.split(",").some(n=>{let[s,i]=n.split("-").map(Number);return s!==void 0&&e>=s&&e<=(i??s)}):!0}function Oe(t,e){
let n=s=>s.split(",").filter(i=>i!=="").map(i=>i.split("-").map(Number)).map(([i=NaN,r=i])=>[i,r]);return n(t).
some(([s,i])=>n(e).some(([r,l])=>s<=l&&r<=i))}function ce(t,e,n,s=" of"){return m("div",{class:"figure"+s,title:n},m("dt",{},t),m("dd",{},e))}function xt(t){
let e=m("section",{class:"verdict","aria-label":"Verdict"}),n="",s=()=>{let i=JSON.stringify(t.store.now.selection);
if(i===n)return;n=i;let r=t.overview;A(e,async(l,a)=>{let o;try{o=await P("report",B(t.store.now),l,a)}catch(f){
return[m("dl",{},...et(r)),m("div",{class:"sentence"},le(f))]}let d=o.efficiency,u=(o.ranks??[]).reduce((f,p)=>f+
p.end_ns-p.begin_ns,0),h=Object.values(o.waits??{}).reduce((f,p)=>f+p.time_ns,0),c=(o.groups??[]).reduce((f,p)=>f+
p.time_ns,0);return[m("dl",{},o.elapsed_ns!==void 0&&ce("time",x(o.elapsed_ns),"from the first call after MPI_\
Init to the last before MPI_Finalize"),d&&ce("parallel efficiency",z(d.parallel),"the part of the time of all \
ranks that is computation: load balance x communication efficiency"),d&&ce("load balance",z(d.load_balance),"m\
ean computation of the ranks, by the greatest"),d&&ce("communication eff.",z(d.communication),"the greatest co\
mputation of a rank, by the time of the run"),c>0&&u>0&&ce("in calls",z(c/u),"of the time of all ranks"),o.waits&&
u>0&&ce("waiting for others",z(h/u),"of the time of all ranks: in calls that could not go on since another ran\
k came late"),...et(r)),m("div",{class:"sentence"},i==="{}"?"":"of what is selected")]},l=>{let a=e.querySelector(
".sentence");a?C(a,l):C(e,m("dl",{},...et(r)),m("div",{class:"sentence"},l))})};return t.store.listen(s),s(),e}
function et(t){return[ce("ranks",k(t.processes)+(t.threads>t.processes?` (${H(t.threads,"thread")})`:""),H(t.hosts,
"host"),""),ce("calls",k(t.calls),"in the whole recording","")]}function Mt(t){let e=t.banner,n=[];return t.timed||
n.push("No times of calls were recorded: there is no map. Record with --timing=lossy."),e.time_error_ns>0&&n.push(
`times are within ${x(e.time_error_ns)}`),e.clock_residual_ns>0&&n.push(`clocks of hosts agree within ${x(e.clock_residual_ns)}`),
e.unmeasured_clocks>0&&n.push(`the clocks of ${H(e.unmeasured_clocks,"host")} are not corrected`),e.unfinished_calls>
0&&n.push(`${H(e.unfinished_calls,"call")} did not return`),e.lost_calls>0&&n.push(`${H(e.lost_calls,"call")} \
were lost`),e.snapshot&&n.push(`the job was still running when this was taken (${e.snapshot})`),e.incomplete&&
n.push(e.incomplete),m("section",{class:"banner","aria-label":"What limits these numbers"},...n.map(s=>m("span",
{},s)))}function Pn(t){let e={},n="";for(let i=1;i<t.length;i++){let[r="",l]=(t[i]??"").split(/=(.*)/s),a=r.replace(
/^--/,"").replaceAll("-","_"),o=l??t[i+1]??"";if(ee.includes(a))e[a]=o;else if(a==="cause")n="causes,cause:"+o,
e.rank=o;else if(a==="kind")n="places,kind:"+o;else continue;l===void 0&&i++}let s={waits:"waits",messages:"me\
ssages",matrix:"matrix",loops:"loops",outliers:"outliers",histogram:"histogram",profile:"sites",report:"sites",
timeline:"sites"}[t[0]??""]??"sites";return{selection:e,panel:s,detail:n}}function _t(t){let e=m("ol",{class:"\
findings"}),n=m("h2",{},"Findings"),s="",i=l=>{let a=Pn(l.command??[]),o=a.selection,d=t.steps(),u=l.step>=0&&
(!d||l.step<d.total);u&&!o.steps&&(o.steps=String(l.step)),l.process>=0&&!o.rank&&(o.rank=String(l.process)),!Object.
keys(o).length&&l.func&&(o.function=l.func);let h=l.process>=0&&(l.command?.[0]==="dump"||["hang","deadlock","\
crash"].includes(l.kind));t.store.set({selection:o,panel:h?"call":a.panel,detail:a.detail,...h?{call:[0,l.process,
0,-1]}:{}}),o.steps&&u?dispatchEvent(new CustomEvent("jump",{detail:l.step})):l.step>=0&&d?.total&&t.overview.
grid&&t.look((d.begin_ns.at(-1)??0)+(d.length_ns.at(-1)??0),t.overview.grid.to_ns),t.say("selected: "+l.text)};
return s||(s="all",A(e,async(l,a)=>{let o=await P("report",{},l,a);return C(n,`Findings (${o.findings.length})`),
o.findings.length?o.findings.map(d=>m("li",{},m("button",{type:"button",title:d.text,click:()=>i(d)},m("span",
{class:"cost"},d.cost_ns>0?`${x(d.cost_ns)}, ${z(d.share)}`:""),m("span",{class:"kind"},d.kind),m("span",{class:"\
text short"},d.text)))):[m("li",{class:"empty"},"Nothing stands out: no finding concerns 1% of the time.")]})),
m("aside",{"aria-label":"Findings"},n,e)}var He=[4456788,4728952,4082057,3238030,2523790,2072201,3520377,7261784,11918891,16639781],K=[{key:"computatio\
n",name:"computation",light:14278114,dark:3752525},{key:"point_to_point",name:"point to point",light:29362,dark:29362},
{key:"wait",name:"wait",light:13983232,dark:13983232},{key:"collective",name:"collective",light:15113984,dark:15113984},
{key:"rma",name:"one-sided",light:13400487,dark:13400487},{key:"io",name:"files",light:40563,dark:40563},{key:"\
other_mpi",name:"other MPI",light:5682409,dark:5682409},{key:"lifecycle",name:"init and finalize",light:11782108,
dark:5071224},{key:"unselected",name:"not chosen",light:9081758,dark:9081758}],nt=[["bytes_sent","bytes sent"],
["bytes_received","bytes received"],["messages_sent","messages sent"],["messages_received","messages received"]];
function he(t){return nt.some(([e])=>e===t)}function De(t){return[t>>16,t>>8&255,t&255]}var $t=new Map;function te(t){
let e=$t.get(t);return e===void 0&&$t.set(t,e="#"+t.toString(16).padStart(6,"0")),e}var F=(()=>{let t=new Uint8Array(
768);for(let e=0;e<256;e++){let n=e/255*(He.length-1),s=Math.min(Math.trunc(n),He.length-2),i=De(He[s]??0),r=De(
He[s+1]??0);for(let l=0;l<3;l++)t[3*e+l]=Math.round((i[l]??0)*(1-(n-s))+(r[l]??0)*(n-s))}return t})(),St=matchMedia(
"(prefers-color-scheme: dark)"),tt=new Map,Tt;function Ln(){tt.clear(),Tt=void 0}addEventListener("themechange",
Ln);St.addEventListener("change",()=>dispatchEvent(new Event("themechange")));function J(){let t=document.documentElement.
dataset.theme;return Tt??=t?t==="dark":St.matches}function Y(t){let e=K[t]??K[0];return J()?e.dark:e.light}function S(t){
let e=tt.get(t);return e===void 0&&(e=getComputedStyle(document.documentElement).getPropertyValue("--"+t).trim(),
tt.set(t,e)),e}var st=16,En=128,je=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;failure;of(e,n,s,i,r){
for(let l=0;n+l<=i;l++){let a=this.piece(e,n+l,Math.floor(s/2**l),r,l===0),o=a?a.head.rows.findIndex(h=>h.class===
e.class):-1,d=a?.head.rows[o];if(!a||!d?.read)continue;let u=a.head.bins*3;return{level:n+l,x:Math.floor(s/2**
l),lines:d.lines,read:d.read,shares:a.cells.subarray(o*u,(o+1)*u)}}}piece(e,n,s,i,r){let l=Math.floor(e.class/
st)*st,a=_e("bands",{...i,rec:this.rec||void 0,level:n,x:s,first:l,rows:st}),o=this.pieces.get(a);return o===void 0&&
r&&this.fetch(a),o}async fetch(e){this.pieces.set(e,this.pieces.get(e)??null);for(let n of this.pieces.keys()){
if(this.pieces.size<=En)break;this.pieces.delete(n)}try{let n=await Le(e),s=new DataView(n).getUint32(0,!0),i=JSON.
parse(new TextDecoder().decode(new Uint8Array(n,4,s)));this.pieces.has(e)&&this.pieces.set(e,{head:i,cells:new Uint8Array(
n,4+s)}),this.failure=void 0,i.exact||setTimeout(()=>this.pieces.has(e)&&void this.fetch(e),100)}catch(n){this.
failure=n instanceof Error?n.message:String(n)}this.changed()}clear(){this.pieces.clear()}};function Se(t){return K.
some(e=>e.key===t)?t:"mpi"}function Te(t){return K.find(e=>e.key===t)?.name??"in calls"}function Pt(t,e,n,s){let i=e.
shares.length/3,r=2**e.level,l=c=>s.x((e.x*i+c)*r),a=(c,f)=>s.y+s.height-(e.shares[c*i+f]??0)/255*s.height,o=Math.
max(0,Math.floor(Ct(l,i,s.left))),d=Math.min(i,Math.ceil(Ct(l,i,s.right))+1);if(d<=o)return;let u=K.findIndex(
c=>c.key===n),h=te(u>0?Y(u):J()?5682409:29362);t.save(),t.beginPath(),t.rect(s.left,s.y,s.right-s.left,s.height),
t.clip(),t.fillStyle=h,t.globalAlpha=.35,t.beginPath();for(let c=o;c<d;c++)it(t,l(c),l(c+1),a(2,c),c===o);for(let c=d-
1;c>=o;c--)it(t,l(c+1),l(c),a(0,c),!1);t.closePath(),t.fill(),t.globalAlpha=1,t.strokeStyle=S("ink"),t.lineWidth=
1.4,t.beginPath();for(let c=o;c<d;c++)it(t,l(c),l(c+1),a(1,c),c===o);t.stroke(),t.restore()}function Ct(t,e,n){
return(n-t(0))/(t(e)-t(0))*e}function it(t,e,n,s,i){i?t.moveTo(e,s):t.lineTo(e,s),t.lineTo(n,s)}function ze(t){
let e=H(t.lines,t.thread?"thread":"rank");return`class ${t.class}: ${e}`+(t.ranks&&t.lines>1?`, ${t.ranks}`:"")}var Lt=[["activity","activity"],["mpi","share in calls"],...K.slice(0,8).map(t=>[t.key,"share of "+t.name]),...q?
[]:nt];function Et(t,e){let n=m("div",{class:"legend",role:"list","aria-label":"Legend"}),s=()=>{let i=t.now.order===
"classes"&&!q?m("span",{class:"key",role:"listitem"},m("span",{class:"swatch band","aria-hidden":"true"}),`${Te(
Se(t.now.color))}: least, median, greatest`):null;if(t.now.color==="activity"){C(n,i,...K.map((u,h)=>{if(!e.seen.
has(u.key))return null;let c=m("span",{class:"swatch","aria-hidden":"true"});return c.style.background=te(Y(h)),
m("span",{class:"key",role:"listitem"},c,u.name)}));return}let r=m("canvas",{class:"ramp",width:256,height:1,"\
aria-hidden":"true"}),l=r.getContext("2d"),a=l?.createImageData(256,1);if(l&&a){for(let u=0;u<256;u++)a.data.set(
[F[3*u]??0,F[3*u+1]??0,F[3*u+2]??0,255],4*u);l.putImageData(a,0,0)}let o=t.now.color;if(!he(o))return C(n,m("s\
pan",{class:"key"},"0%",r,"100% of the time"),i);C(n,m("span",{class:"key",title:"The scale is logarithmic, ov\
er four powers of ten; where nothing is moved, the colour is that of 0."},"0",r,`${(u=>o.startsWith("bytes")?L(
u):k(u))(e.most)} a second and line`),i)};return t.listen((i,r)=>{(i.color!==r.color||i.order!==r.order)&&s()}),
e.element.addEventListener("seen",s),addEventListener("themechange",s),s(),n}var Rn=150;function Rt(t,e,n,s,[i,r]){let l=new Set,a=[];for(let u of e)for(let h of u.arrows??[]){let c=`${h.
from}.${h.send}-${h.to}.${h.receive}`;l.has(c)||(l.add(c),!(n(h.end_ns)<i||n(h.begin_ns)>r||!s.has(h.from)&&!s.
has(h.to))&&a.push(h))}if(a.length>Rn)return;let o=S("line"),d=S("bad");for(let u of[!1,!0]){t.strokeStyle=u?d:
o,t.fillStyle=t.strokeStyle,t.lineWidth=u?1.6:1,t.beginPath();for(let h of a){if(h.wait_ns>0!==u)continue;let c=s.
get(h.from)??(s.get(h.to)??0)+(h.from<h.to?-2e3:2e3),f=s.get(h.to)??c+(h.to>h.from?2e3:-2e3),p=n(h.begin_ns),b=n(
h.end_ns);t.moveTo(p,c),t.lineTo(b,f);let g=Math.atan2(f-c,b-p);for(let M of[2.7,-2.7])t.moveTo(b,f),t.lineTo(
b+7*Math.cos(g+M),f+7*Math.sin(g+M));if(u){let M=n(h.end_ns-h.wait_ns);t.moveTo(M,f+4),t.lineTo(b,f+4),t.moveTo(
M,f+1),t.lineTo(M,f+7)}}t.stroke()}}var An=4e3,Be=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;arrowPieces=new Map;aligned(e,n){
let s=2**Math.ceil(Math.log2(Math.max(64,n-e)));return{length:s,first:Math.floor(e/s),last:Math.floor(n/s)}}of(e,n,s){
let{length:i,first:r,last:l}=this.aligned(n,s),a=[];for(let o=Math.max(0,r);o<=l;o++){let d={rec:this.rec||void 0,
rank:e.rank,thread:e.thread||void 0,world:e.world||void 0,t0:o*i,t1:(o+1)*i,max:An},u=JSON.stringify(d),h=this.
pieces.get(u);h?.lane?a.push(h.lane):h||this.ask(u,d)}return Nn(a)}ask(e,n){let s={};if(this.pieces.set(e,s),j(
"lanes",n).then(i=>s.lane=i,()=>s.failed=!0).finally(()=>this.changed()),this.pieces.size>600)for(let i of[...this.
pieces.keys()].slice(0,200))this.pieces.delete(i)}arrows(e,n){let{length:s,first:i,last:r}=this.aligned(e,n),l=[];
for(let a=Math.max(0,i);a<=r;a++){let o={rec:this.rec||void 0,t0:a*s,t1:(a+1)*s,max:2e3},d=JSON.stringify(o),u=this.
arrowPieces.get(d);if(u?.arrows&&l.push(u.arrows),u)continue;let h={};if(this.arrowPieces.set(d,h),j("arrows",
o).then(c=>h.arrows=c,()=>h.failed=!0).finally(()=>this.changed()),this.arrowPieces.size>60)for(let c of[...this.
arrowPieces.keys()].slice(0,20))this.arrowPieces.delete(c)}return l}};function Nn(t){let e=t[0];if(!e||t.length<
2)return t;let n=new Map,s=new Map,i=new Map,r=[],l=(a,o,d)=>{let u=a.get(o);a.set(o,u?{...u,start_ns:Math.min(
u.start_ns,d.start_ns),end_ns:Math.max(u.end_ns,d.end_ns)}:d)};for(let a of t){if(!a.calls?.length&&a.total>0)
return[];for(let o of a.calls??[])n.set(o.index,{...o,site:o.site<0?-1:o.site+r.length});for(let o of a.loops??
[])l(s,`${o.level} ${o.iteration} ${o.name}`,o);for(let o of a.regions??[])l(i,`${o.level} ${o.start_ns} ${o.name}`,
o);r.push(...a.sites??[])}return[{...e,to_ns:t.at(-1)?.to_ns??e.to_ns,total:n.size,calls:[...n.values()],loops:[
...s.values()],regions:[...i.values()],sites:r}]}var On=new Map(K.map((t,e)=>[t.key,e]));function ot(t,e,n,s,i,r){
if(i<24)return;t.fillStyle=r;let l=Math.floor((i-6)/6.1);l<3||(e=se(e),t.fillText(e.length>l?e.slice(0,l-1)+"\u2026":
e,n+3,s))}function Hn(t){return((t>>16)*299+(t>>8&255)*587+(t&255)*114)/1e3>140}function Dn(t,e){if(!t)return!0;
let n=!0;for(let s of t.split(",").map(i=>i.trim().toLowerCase())){let i=s.startsWith("mpi_")||s.includes("*"),
r=s.split("*").map(l=>l.replace(/[^\w]/g,"\\$&")).join(".*");if(i&&new RegExp(`^${r}$`).test(e.toLowerCase()))
return!0;n&&=i}return n?!1:void 0}function At(t,e,n,s){let{y:i,height:r,x:l,left:a,right:o,chosen:d}=n,u=e.calls??
[];if(!u.length&&e.total>0)return!1;let h=e.loops??[],c=r>=26?Math.min(3,h.reduce((w,y)=>Math.max(w,y.level+1),
0)):0,f=r>=26?(e.regions??[]).filter(w=>w.level<1):[],p=c+(f.length?1:0)>0?Math.min(13,Math.floor(r*.5/(c+(f.length?
1:0)))):0,b=i;t.font="10px ui-monospace, DejaVu Sans Mono, monospace",t.textBaseline="middle",t.textAlign="lef\
t";for(let w of f){let y=Math.max(a,l(w.start_ns)),_=Math.min(o,l(w.end_ns))-y;if(_<=0)continue;t.fillStyle=J()?
"#2f5d50":"#bfe3d6",t.fillRect(y,b,_,p-1);let v=w.times>1?`${w.name||"regions"} (${w.times} times)`:w.name;p>=
10&&ot(t,v,y,b+p/2,_,J()?"#e8ecf1":"#1f2933"),s.push({x:y,width:_,y:b,height:p,line:e,region:v})}f.length&&(b+=
p);for(let w of h){if(w.level>=c)continue;let y=Math.max(a,l(w.start_ns)),_=Math.min(o,l(w.end_ns))-y;if(_<=0)
continue;let v=b+w.level*p;t.fillStyle=J()?w.iteration%2?"#3d4a63":"#4b5a78":w.iteration%2?"#c9d6ea":"#dbe4f2",
t.fillRect(y,v,Math.max(.6,_-1),p-1);let N=(w.iteration===w.last_iteration?`${w.iteration}`:`${w.iteration}-${w.
last_iteration}`)+(w.step?" step":"")+"  "+w.name;p>=10&&ot(t,N,y,v+p/2,_,J()?"#e8ecf1":"#1f2933"),s.push({x:y,
width:_,y:v,height:p,line:e,loop:w})}b+=c*p;let g=i+r-b,M=Math.max(a,l(e.from_ns)),T=Math.min(o,l(e.to_ns));if(u.
length&&T>M){let w=Math.max(a,l(u[0]?.start_ns??e.from_ns)),y=Math.min(o,l(u.at(-1)?.end_ns??e.to_ns));t.fillStyle=
te(Y(0)),t.fillRect(w,b,y-w,g)}for(let w of u){let y=Math.max(a,l(w.start_ns)),_=Math.min(o,l(w.end_ns));if(_<
a||y>o)continue;let v=Dn(n.functions,w.func)===!1?K.length-1:On.get(w.category)??6,I=Y(v),N=Math.max(.7,_-y),D=w.
nested?g*.3:0;if(t.fillStyle=te(I),t.fillRect(y,b+D,N>3?N-.7:N,g-D),w.unfinished){t.fillStyle=J()?"#ffffff":"#\
000000";for(let U=y;U<_;U+=8)t.fillRect(U,b+g-3,4,2)}w.index===d&&(t.strokeStyle=J()?"#ffffff":"#000000",t.lineWidth=
2,t.strokeRect(y-1,b-1,N+2,g+2)),g>=10&&ot(t,w.func.replace(/^P?MPIX?_/,""),y,b+g/2,N,Hn(I)?"#111820":"#ffffff"),
s.push({x:y,width:N,y:b,height:g,line:e,call:w,site:w.site<0?void 0:e.sites?.[w.site]})}return!0}var Ce=class t{total=0;runs=[];bands=[];static plain(e){let n=new t;return n.lines(0,e),n}static folded(e,n,s){
let i=new t,r=e.filter(d=>d.lines>1),l=r.reduce((d,u)=>d+(s.has(u.class)?0:u.lines),0),a=Math.max(2,Math.ceil(
(n-l)/3/Math.max(1,r.length))),o=0;for(let d of e)o=d.first+d.lines,d.lines>1&&(i.bands.push({at:i.total,height:a,
of:d,open:s.has(d.class)}),i.total+=a),(d.lines===1||s.has(d.class))&&i.lines(d.first,d.lines);return o<n&&i.lines(
o,n-o),i}lines(e,n){let s=this.runs.at(-1);s&&s.at+s.n===this.total&&s.first+s.n===e?s.n+=n:this.runs.push({at:this.
total,first:e,n}),this.total+=n}line(e){let n=this.runs.find(s=>e>=s.at&&e<s.at+s.n);return n&&n.first+Math.floor(
e-n.at)}band(e){return this.bands.find(n=>e>=n.at&&e<n.at+n.height)}};function ke(t){return new Set(t.split(",").
filter(e=>/^\d+$/.test(e)).map(Number))}var jn=Float32Array.from({length:256},(t,e)=>Math.pow(e/255,2.2)),rt=Uint8Array.from({length:4096},(t,e)=>Math.
round(255*Math.pow(e/4095,1/2.2))),Nt=256,Fe=class{constructor(e,n,s){this.rec=e;this.grid=n;this.changed=s}rec;grid;changed;tiles=new Map;asking=0;queue=new Map;clock=0;generation=new AbortController;drop(){
this.queue.clear()}get busy(){return this.asking>0||this.queue.size>0}address(e,n){return e.path??_e("tiles",{
...n.params,rec:this.rec||void 0,level:e.level,x:e.x,first:e.first,group:e.group,rows:e.rows})}tile(e,n,s=!0){
let i=e.path??`${e.level}.${e.x}.${e.first}.${e.group}.${e.rows}${n.key}`,r=this.tiles.get(i);if(r)return r.used=
++this.clock,r.stale&&s&&this.enqueue(i,e,n),r.head||r.error?r:void 0;s&&this.enqueue(i,e,n)}enqueue(e,n,s){this.
queue.has(e)||(this.queue.set(e,this.address(n,s)),queueMicrotask(()=>this.next()))}next(){for(;this.asking<4;){
let[e]=this.queue;if(!e)return;this.queue.delete(e[0]);let n=this.tiles.get(e[0]);(!n||n.stale)&&this.fetch(...e)}}async fetch(e,n){
let s={pixels:new Map,used:++this.clock},i=this.tiles.get(e);i?i.stale=!1:this.tiles.set(e,s),this.asking++;try{
let r=await Le(n,{signal:this.generation.signal}),l=new DataView(r).getUint32(0,!0);s.head=JSON.parse(new TextDecoder().
decode(new Uint8Array(r,4,l))),he(s.head.value)?(s.values=new Float32Array(r.slice(4+l)),s.most=Ot(s.head,s.values).
reduce((a,o)=>Math.max(a,o),0)):s.cells=new Uint8Array(r,4+l),!s.head.exact&&s.head.pending>0&&!q&&setTimeout(
()=>{s.stale=!0,this.changed()},700)}catch(r){s.error=r instanceof Error?r.message:String(r)}this.tiles.set(e,
s),this.asking--,this.trim(),this.changed(),this.next()}trim(){if(this.tiles.size<=Nt)return;let e=[...this.tiles].
filter(([,n])=>n.head||n.error).sort((n,s)=>n[1].used-s[1].used);for(let[n]of e.slice(0,this.tiles.size-Nt))this.
tiles.delete(n)}coarser(e,n){for(let s=1;e.level+s<=this.grid.level;s++){let i={...e,level:e.level+s,x:Math.floor(
e.x/2**s)},r=this.tile(i,n,!1);if(r?.head)return{tile:r,place:i}}}};function Ot(t,e){let n=t.categories.length,
s=new Float32Array(t.bins*t.rows.length);return t.rows.forEach((i,r)=>{let l=1e9/(2**t.level*Math.max(1,i.read));
for(let a=r*t.bins;a<(r+1)*t.bins;a++){let o=0;for(let d=0;d<n;d++)o+=e[a*n+d]??0;s[a]=o*l}}),s}function zn(t,e){
return t<=0?0:Math.max(.04,Math.min(1,1+Math.log10(t/e)/4))}function Ie(t,e,n,s){if(!t.head||!t.cells&&!t.values)
return;let i=e+(t.values?"/"+n:"")+(J()?"/dark":""),r=t.pixels.get(i);if(r||!s())return r;let{bins:l,rows:a}=t.
head,o=t.head.categories.length,d=document.createElement("canvas");d.width=l,d.height=Math.max(1,a.length);let u=d.
getContext("2d");if(!u)return;let h=u.createImageData(l,Math.max(1,a.length)),c=t.head.categories.map(f=>K.findIndex(
p=>p.key===f));if(t.values)Fn(Ot(t.head,t.values),h.data,n);else if(t.cells)e==="activity"?Bn(t.cells,h.data,o,
c.map(f=>De(Y(f)))):In(t.cells,h.data,o,t.head.categories.map(f=>e==="mpi"?f!=="computation":f===e));else return;
return u.putImageData(h,0,0),t.pixels.set(i,d),d}function Bn(t,e,n,s){let i=s.map(r=>r.map(l=>jn[l]??0));for(let r=0,
l=0;l<e.length;r+=n,l+=4){let a=0,o=0,d=0,u=0;for(let h=0;h<n;h++){let c=t[r+h]??0;if(!c)continue;let f=i[h];f&&
(a+=c*(f[0]??0),o+=c*(f[1]??0),d+=c*(f[2]??0),u+=c)}u&&(e[l]=rt[Math.round(a/u*4095)]??0,e[l+1]=rt[Math.round(
o/u*4095)]??0,e[l+2]=rt[Math.round(d/u*4095)]??0,e[l+3]=Math.min(255,u+2))}}function Fn(t,e,n){t.forEach((s,i)=>{
let r=3*Math.round(255*zn(s,n));e[4*i]=F[r]??0,e[4*i+1]=F[r+1]??0,e[4*i+2]=F[r+2]??0,e[4*i+3]=255})}function In(t,e,n,s){
for(let i=0,r=0;r<e.length;i+=n,r+=4){let l=0,a=0;for(let d=0;d<n;d++){let u=t[i+d]??0;a+=u,s[d]&&(l+=u)}if(!a)
continue;let o=3*Math.min(255,Math.round(255*l/a));e[r]=F[o]??0,e[r+1]=F[o+1]??0,e[r+2]=F[o+2]??0,e[r+3]=255}}
function Ht(t){return t.first.map(e=>{let n=new URLSearchParams(e.replace(/^.*\?/,"")),s=i=>Number(n.get(i)??0);
return{level:s("level"),x:s("x"),first:s("first"),group:s("group")||1,rows:s("rows"),path:e}})}var Un={ns:1,us:1e3,\u00B5s:1e3,ms:1e6,s:1e9,m:6e10,h:36e11};function Ue(t,e,n){let s=t.trim();if(s.endsWith("\
%"))return e+(n-e)*Number(s.slice(0,-1))/100;if(s!==""&&Number.isFinite(Number(s)))return Number(s)*1e9;let i=0,
r=s;for(;r;){let l=/^([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/.exec(r);if(!l)return;i+=Number(l[1])*(Un[l[2]??""]??NaN),
r=r.slice(l[0].length)}return s?i:void 0}function fe(t,e,n){if(!t)return;if(t.includes("..")){let[l="",a=""]=t.
split(".."),o=l.trim()?Ue(l,e,n):e,d=a.trim()?Ue(a,e,n):n;return o===void 0||d===void 0?void 0:[o,d]}let s=t.search(
/(?<![eE])\+/);if(s<1)return;let i=Ue(t.slice(0,s),e,n),r=Ue(t.slice(s+1),0,n-e);return i===void 0||r===void 0?
void 0:[i,i+r]}function pe(t,e){let n=/^\s*(\d*)\s*(-|\.\.)?\s*(\d*)\s*$/.exec(t??"");if(!t||!n)return;let s=n[1]?
Number(n[1]):0;return[s,n[3]?Number(n[3]):n[2]?e-1:s]}function Ke(t,e){return`${Math.max(0,Math.floor(t))}ns..${Math.
ceil(e)}ns`}var E=78,R=34,Kn=44,be=4096,xe=class t{constructor(e){this.o=e;this.grid=e.overview.grid,this.first=Ht(this.grid),
this.own=e.own??(n=>n),this.shared=e.shared??(n=>n),this.tiles=new Fe(e.rec,this.grid,()=>this.draw()),this.lanes=
new Be(e.rec,()=>this.draw()),this.bands=new je(e.rec,()=>this.draw()),this.element=m("div",{class:"map"},this.
canvas,this.tip,this.note),this.canvas.setAttribute("aria-label",`Time from left to right, ${H(this.grid.lines,
"line")} from top to bottom. The arrow keys move, plus and minus zoom. The table Ranks has the same as text.`),
new ResizeObserver(()=>this.resize()).observe(this.element),e.store.listen((n,s)=>{n.view!==s.view&&this.tiles.
drop(),this.draw()}),this.listen()}o;element;canvas=m("canvas",{tabindex:0,role:"img"});tip=m("div",{class:"ti\
p",hidden:!0});note=m("div",{class:"mapnote","aria-live":"polite"});tiles;lanes;bands;classes;grid;first;width=0;height=0;waiting=!1;lines=new Map;linesOrder="\
none";steps;drawn=[];heads=[];drawnBands=[];drag;pointer;own;shared;seen=new Set;markers=[];messages=!0;frames=[];firstPicture;setSteps(e){
this.steps=e,this.draw()}get view(){let e=this.o.store.now.view,{total:n}=this.layout;if(!e)return[this.grid.from_ns,
this.grid.to_ns,0,n];let s=Math.max(0,Math.min(e[2],n-1));return[this.own(e[0]),this.own(e[1]),s,Math.min(e[3],
n-s)]}laidOut;get layout(){let{order:e,open:n}=this.o.store.now,s=e==="classes"?this.folded():void 0,i=s?"clas\
ses "+n:"lines";if(this.laidOut?.key!==i){let{lines:r}=this.grid;this.laidOut={key:i,layout:s?Ce.folded(s,r,ke(
n)):Ce.plain(r)}}return this.laidOut.layout}folded(){if(this.classes||this.askedClasses||q)return this.classes;
this.askedClasses=!0,j("classes",{rec:this.o.rec||void 0}).then(e=>{this.classes=e.classes,this.draw()},e=>{this.
failure=e instanceof Error?e.message:String(e),this.draw()})}askedClasses=!1;get order(){let{order:e}=this.o.store.
now;return e==="rank"?void 0:e==="classes"?"class":e}look(e,n,s,i,r=!0){let l=this.grid,a=Math.max(200,Math.min(
n-e,(l.to_ns-l.from_ns)*1.02)),o=(e+n)/2;e=Math.max(l.from_ns-.01*(l.to_ns-l.from_ns),Math.min(o-a/2,l.to_ns*1.01-
a));let{total:d}=this.layout;i=Math.max(1,Math.min(d,i)),s=Math.max(0,Math.min(d-i,s));let u=e<=l.from_ns&&e+a>=
l.to_ns&&i===d;this.o.store.set({view:u?void 0:[this.shared(e),this.shared(e+a),s,i]},r)}zoom(e,n=this.pointer?.
x??E+this.plot/2){let[s,i,r,l]=this.view,a=this.timeAt(Math.max(E,n));this.look(a-(a-s)*e,a+(i-a)*e,r,l)}pan(e){
let[n,s,i,r]=this.view;this.look(n+e*(s-n),s+e*(s-n),i,r)}scroll(e){let[n,s,i,r]=this.view,l=Math.sign(e)*Math.
max(1,Math.round(Math.abs(e)*r));this.look(n,s,i+l,r)}zoomLines(e,n=this.pointer?.y??R+(this.height-R)/2){let[
s,i,r,l]=this.view,a=Math.max(1,Math.round(e>1?Math.max(l+1,l*e):Math.min(l-1,l*e))),o=this.lineAt(n);this.look(
s,i,Math.round(o-(o-r)*(a/l)),a)}get plot(){return Math.max(1,this.width-E)}get row(){return Math.min(Kn,(this.
height-R)/this.view[3])}x=e=>{let[n,s]=this.view;return E+(e-n)/(s-n)*this.plot};timeAt(e){let[n,s]=this.view;
return n+(e-E)/this.plot*(s-n)}lineAt(e){return this.view[2]+(e-R)/this.row}resize(){let e=this.element.getBoundingClientRect(),
n=devicePixelRatio||1;this.width=Math.max(200,e.width),this.height=Math.max(60,e.height),this.canvas.width=Math.
round(this.width*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.width=this.width+"px",this.
canvas.style.height=this.height+"px",this.draw()}draw(){this.waiting||!this.width||(this.waiting=!0,requestAnimationFrame(
()=>{this.waiting=!1;let e=performance.now();this.paint(),this.frames.push(performance.now()-e),(this.heads.length||
this.drawnBands.length)&&(this.firstPicture??=performance.now()),this.frames.length>500&&this.frames.splice(0,
250)}))}filtered;get filter(){let e=this.o.store.now,{selection:n,order:s}=e,i=he(e.color)?e.color:void 0;if(this.
filtered?.of.selection!==n||this.filtered.of.order!==s||this.filtered.filter.params.value!==i){let r={function:n.
function,comm:n.comm,in:n.in,order:this.order,value:i};this.filtered={of:e,filter:{params:r,key:JSON.stringify(
r)}}}return this.filtered.filter}paint(){let e=this.canvas.getContext("2d");if(!e)return;let n=devicePixelRatio||
1;e.setTransform(n,0,0,n,0,0),e.fillStyle=S("paper"),e.fillRect(0,0,this.width,this.height);let s=this.o.store.
now;e.save(),e.beginPath(),e.rect(E,R,this.plot,this.height-R),e.clip(),this.drawn=[],this.heads=[];let i=[this.
paintTiles(e,s),this.paintBands(e,s)].includes(!0),r=this.paintLanes(e,s);this.paintSelection(e,s.selection),r&&
this.messages&&this.paintArrows(e),e.restore(),this.paintAxis(e),this.paintNames(e),this.paintMarkers(e),this.
drag&&!this.drag.pan&&this.paintDrag(e),this.annotate(i)}annotate(e){let n=this.heads.reduce((o,d)=>Math.max(o,
d.head.exact?0:d.head.blur_ns),0),[s,i,r]=[0,0,0];for(let{place:o,bands:d}of this.drawnBands)i+=o.of.lines,s+=
d.length?Math.min(...d.map(u=>u.read)):0;for(let{head:o}of this.heads){r+=o.unsized??0;for(let d of o.rows)s+=
d.read,i+=d.threads}let l=this.failure??this.bands.failure;this.element.dataset.state=e||this.tiles.busy?"load\
ing":"ready";let a=l??(s<i?`not exact yet: ${z(s/i)} is read`:n?`not exact: means over stretches of ${x(n)}`:r?
`${H(r,"message")} of unknown size: receives count with the size of their buffers`:"");this.note.textContent!==
se(a)&&C(this.note,a)}failure;paintTiles(e,n){let[s,i,r,l]=this.view,a=(i-s)/this.plot,o=Math.max(0,Math.min(this.
grid.level,Math.floor(Math.log2(2*a)))),d=1;for(;d*2*this.row<=2.01;)d*=2;let u=this.filter,h=performance.now()+
3,c=!1,f=()=>performance.now()<h||(c=!0,this.draw(),!1);this.failure=void 0,e.imageSmoothingEnabled=!1;let[p]=this.
first,b=p&&{...p,path:void 0},g=q||!b?void 0:{place:b,tile:this.tiles.tile(b,u)},M=!g||g.tile!==void 0,w=this.
layout.runs.filter(y=>y.at<r+l&&y.at+y.n>r).map(y=>{let _=this.places(y,o,d);return{run:y,places:_,known:_.map(
v=>this.tiles.tile(v,u,M))}});this.rescale([g?.tile,...w.flatMap(y=>y.known)]);for(let{run:y,places:_,known:v}of w){
let I=R+(y.at-r)*this.row,N=y.at-y.first;if(e.save(),e.beginPath(),e.rect(E,I,this.plot,y.n*this.row),e.clip(),
g?.tile&&v.some(D=>!D?.head||D.head.rows.some(U=>U.read===0))){let D=Ie(g.tile,n.color,this.most,f);D&&g.tile.
head&&(this.see(g.tile.head,g.place),this.paintTile(e,D,g.place,g.place,N))}for(let[D,U]of _.entries()){let de=v[D];
de?.error&&(this.failure=de.error),de||(c=!0);let Me=de&&Ie(de,n.color,this.most,f);if(Me&&de?.head){this.see(
de.head,U),this.paintTile(e,Me,U,U,N);continue}let Pe=this.tiles.coarser(U,u);Me=Pe&&Ie(Pe.tile,n.color,this.most,
f),Pe&&Me&&this.paintTile(e,Me,Pe.place,U,N)}if(this.row>=5){e.fillStyle=S("paper");for(let D=1;D<=y.n;D++)e.fillRect(
E,Math.round(I+D*this.row)-1,this.plot,1)}e.restore()}return c}places(e,n,s){let[i,r,l,a]=this.view;if(q){let f=[
...new Set(this.first.map(b=>b.level))].sort((b,g)=>g-b),p=f.find(b=>b<=n)??f.at(-1)??n;return this.first.filter(
b=>b.level===p)}let o=64*s,d=256*2**n,u=e.first+Math.max(0,Math.floor(l-e.at)),h=e.first+Math.min(e.n,Math.ceil(
l+a-e.at)),c=[];for(let f=Math.floor(u/o)*o;f<h;f+=o){let p=Math.min(64,Math.ceil((this.grid.lines-f)/s));for(let b=Math.
max(0,Math.floor(i/d));b*d<Math.min(r,this.grid.to_ns);b++)c.push({level:n,x:b,first:f,group:s,rows:p})}return c}paintBands(e,n){
let[s,i,r,l]=this.view,a=Math.max(0,Math.min(this.grid.level,Math.floor(Math.log2(2*(i-s)/this.plot)))),o=256*
2**a,d=Se(n.color),{function:u,comm:h,in:c}=n.selection,f={function:u,comm:h,in:c,of:d==="mpi"?void 0:d},p=n.order===
"classes"&&!this.classes&&!this.failure&&!q;this.drawnBands=[];for(let b of this.layout.bands){if(b.at>r+l||b.
at+b.height<r)continue;let g=R+(b.at-r)*this.row,M=b.height*this.row,T=M>=40,w=g+(T?17:1),y={x:this.x,left:E,right:this.
width,y:w,height:g+M-2-w},_=[];for(let N=Math.max(0,Math.floor(s/o));N*o<Math.min(i,this.grid.to_ns);N++){let D=this.
bands.of(b.of,a,N,this.grid.level,f);D?_.some(U=>U.level===D.level&&U.x===D.x)||_.push(D):p=!0}e.fillStyle=S("\
raised"),e.fillRect(E,g,this.plot,M-1);for(let N of _)Pt(e,N,d,y);if(this.drawnBands.push({place:b,bands:_}),!T)
continue;e.font="11px system-ui, DejaVu Sans, sans-serif",e.textAlign="left",e.textBaseline="top";let v=`${ze(
b.of)}: ${Te(d)}, least to greatest, median`,I=se(v.length>140?v.slice(0,139)+"\u2026":v);e.fillStyle=S("ink"),
e.fillText(I,E+6,g+3)}return p}static rates=new Map;get most(){return 2**Math.ceil(Math.log2(Math.max(1,...t.rates.
values())))}rescale(e){let n=this.most;if(t.rates.set(this,Math.max(0,...e.map(s=>s?.most??0))),this.most!==n)
for(let s of t.rates.keys())s.element.dispatchEvent(new Event("seen")),s.draw()}see(e,n){if(this.heads.push({head:e,
place:n}),he(e.value))return;let s=this.seen.size;for(let i of e.rows)i.sum_ns.forEach((r,l)=>r>0&&this.seen.add(
e.categories[l]??""));this.seen.size>s&&this.element.dispatchEvent(new Event("seen"))}paintTile(e,n,s,i,r){let l=2**
(s.level-i.level),a=256/l,o=256*2**i.level,d=this.x(i.x*o),u=R+(s.first+r-this.view[2])*this.row,h=n.height;e.
drawImage(n,(i.x-s.x*l)*a,0,a,h,d,u,this.x((i.x+1)*o)-d,h*s.group*this.row)}get rate(){return this.o.overview.
calls/this.grid.lines/Math.max(1,this.grid.to_ns-this.grid.from_ns)}near(e){let{from_ns:n,to_ns:s}=this.grid,i=Math.
min((s-n)/2,30/this.rate);this.look((n+s)/2-i,(n+s)/2+i,0,e)}paintLanes(e,n){let[s,i,r,l]=this.view;if(this.row<
12||!this.o.overview.timed||q||n.color!=="activity"||this.rate*(i-s)>1500)return!1;let a=!1;for(let o=Math.floor(
r);o<Math.ceil(r+l);o++){let d=this.at(o);if(!d)continue;let u=R+(o-r)*this.row,h=n.call,c={y:u,height:this.row-
1,x:this.x,left:E,right:this.width,functions:n.selection.function,chosen:h&&h[0]===d.world&&h[1]===d.rank&&h[2]===
d.thread?h[3]:void 0};for(let f of this.lanes.of(d,s,i))a=At(e,f,c,this.drawn)||a}return a}paintArrows(e){let[
n,s,i,r]=this.view,l=new Map;for(let a=Math.floor(i);a<i+r;a++){let o=this.at(a);o&&o.thread===0&&l.set(o.rank,
R+(a-i+.5)*this.row)}Rt(e,this.lanes.arrows(n,s),this.x,l,[E,this.width])}paintSelection(e,n){let{from_ns:s,to_ns:i}=this.
grid,[,,r,l]=this.view,a=S("veil"),o=fe(n.time,s,i),d=this.steps&&pe(n.steps,this.steps.total),u=E,h=this.width;
if(o&&([u,h]=[this.x(this.own(o[0])),this.x(this.own(o[1]))]),d&&this.steps){let b=Math.min(this.steps.begin_ns.
length-1,Math.floor(d[0]/this.steps.stride)),g=Math.min(this.steps.begin_ns.length-1,Math.floor(d[1]/this.steps.
stride));u=Math.max(u,this.x(this.steps.begin_ns[b]??s)),h=Math.min(h,this.x((this.steps.begin_ns[g]??i)+(this.
steps.length_ns[g]??0)))}if(e.fillStyle=a,u>E&&e.fillRect(E,R,u-E,this.height),h<this.width&&e.fillRect(h,R,this.
width-h,this.height),(o||d)&&(e.fillStyle=S("accent"),e.fillRect(u-1,R,2,this.height),e.fillRect(h-1,R,2,this.
height)),!n.rank)return;e.fillStyle=a;let c=Math.max(E,u),f=Math.min(this.width,h)-c,p=Math.max(1,Math.floor(1/
this.row));for(let{place:b}of this.drawnBands)b.of.ranks&&!Oe(n.rank,b.of.ranks)&&e.fillRect(c,R+(b.at-r)*this.
row,f,b.height*this.row);for(let b=Math.floor(r);b<r+l;b+=p){let g=this.at(b);g&&!Ne(n.rank,g.rank)&&e.fillRect(
c,R+(b-r)*this.row,f,Math.max(1,p*this.row))}}paintAxis(e){let[n,s]=this.view;e.fillStyle=S("faint"),e.strokeStyle=
S("rule"),e.lineWidth=1,e.font="11px system-ui, DejaVu Sans, sans-serif",e.textBaseline="alphabetic";let i=(s-
n)/this.plot*110,r=zt(i);for(let l=Math.ceil(n/r)*r;l<=s;l+=r){let a=Math.round(this.x(l))+.5;if(a<E)continue;
e.beginPath(),e.moveTo(a,14),e.lineTo(a,18),e.stroke();let o=ie(l,r*10);a+e.measureText(o).width/2<this.width&&
(e.textAlign="center",e.fillText(o,Math.max(a,E+e.measureText(o).width/2),11))}this.paintSteps(e),e.beginPath(),
e.moveTo(E,R-.5),e.lineTo(this.width,R-.5),e.stroke()}paintSteps(e){let n=this.steps;if(e.textAlign="left",e.fillText(
n?.begin_ns.length?"step":"",4,29),!n)return;let s=new Set((n.slow??[]).map(u=>Math.floor(u.step/n.stride))),[
i,r]=this.view,l=n.begin_ns.filter(u=>u>=i&&u<=r).length,a=Dt(l*n.stride*60/this.plot),o=-1/0,d=-1/0;for(let u=0;u<
n.begin_ns.length;u++){let h=Math.round(this.x(n.begin_ns[u]??0))+.5;if(h<E||h>this.width)continue;let c=Math.
ceil(u*n.stride/a)*a,f=c<(u+1)*n.stride&&h>=d;if(!f&&!s.has(u)&&h-o<4||(o=h,e.strokeStyle=s.has(u)?S("bad"):S(
"rule"),e.beginPath(),e.moveTo(h,f?20:31),e.lineTo(h,R),e.stroke(),!f))continue;let p=String(c);d=h+e.measureText(
p).width+10,d<this.width&&e.fillText(p,h+2,29)}}paintNames(e){let[,,n,s]=this.view,i=Dt(13/this.row);e.font="1\
1px system-ui, DejaVu Sans, sans-serif",e.textAlign="right",e.textBaseline="middle";let r=this.o.store.now.selection.
rank,l=-1/0;for(let{place:a}of this.drawnBands){let o=R+(a.at-n+a.height/2)*this.row;a.height*this.row<12||o<R||
o>this.height-4||(e.fillStyle=r&&Oe(r,a.of.ranks)?S("accent"):S("ink"),e.fillText(`${a.open?"\u25BE":"\u25B8"}\
 class ${a.of.class}`,E-6,o),!(a.height*this.row<56)&&(e.fillStyle=S("faint"),e.fillText("100%",E-6,o-a.height*
this.row/2+21),e.fillText("0%",E-6,o+a.height*this.row/2-8)))}for(let a of this.layout.runs){let o=Math.max(0,
Math.ceil((n-a.at)/i)*i);for(let d=o;d<a.n&&a.at+d<n+s;d+=i){let u=this.line(a.first+d);if(!u)continue;let h=Math.
max(R+(a.at+d-n+.5)*this.row,R+6);h>this.height-4||h<l||(l=h+12,e.fillStyle=r&&Ne(r,u.rank)?S("accent"):S("ink"),
e.fillText(jt(u,i===1||d===0),E-6,h))}}}paintMarkers(e){for(let n of this.markers){let s=this.yOfRank(n.rank),
i=this.x(n.at);s===void 0||i<E||i>this.width||(e.fillStyle=S("bad"),e.strokeStyle=S("paper"),e.beginPath(),e.moveTo(
i,s),e.lineTo(i-5,s-9),e.lineTo(i+5,s-9),e.closePath(),e.fill(),e.stroke())}}at(e){let n=this.layout.line(e);return n===
void 0?void 0:this.line(n)}paintDrag(e){let n=this.drag;if(!n)return;e.strokeStyle=S("accent"),e.fillStyle=S("\
select");let s=Math.min(n.x,n.x1),i=Math.min(n.y,n.y1),r=[s,this.layout.total>1?i:R,Math.abs(n.x1-n.x),this.layout.
total>1?Math.abs(n.y1-n.y):this.height];e.fillRect(...r),e.strokeRect(...r)}line(e){let n=this.order;n!==this.
linesOrder&&(this.linesOrder=n,this.lines=new Map);let s=Math.floor(e/be)*be,i=this.lines,r=i.get(s);if(r===void 0&&
(i.set(s,null),j("lines",{rec:this.o.rec||void 0,order:n,first:s,count:be}).then(l=>{i.set(s,l),this.draw()},()=>{})),
r)return r.lines[e-s];for(let{head:l,place:a}of this.heads){if(a.group!==1)continue;let o=l.rows[e-a.first];if(o)
return{rank:o.rank,world:o.world,thread:o.thread,host:"",class:0,calls:0}}}yOfRank(e){let[,,n,s]=this.view;for(let i=Math.
floor(n);i<n+s;i++){let r=this.at(i);if(r?.rank===e&&r.thread===0)return R+(i-n+.5)*this.row}}hit(e,n){let s;for(let i of this.
drawn)n<i.y||n>i.y+i.height||e<i.x-1||e>i.x+Math.max(i.width,2)||(!s||i.width<=s.width)&&(s=i);return s}listen(){
let e=this.canvas;e.addEventListener("pointerdown",n=>{n.button>1||(e.setPointerCapture(n.pointerId),this.drag=
{x:n.offsetX,y:n.offsetY,x1:n.offsetX,y1:n.offsetY,pan:n.shiftKey||n.button===1},this.tip.hidden=!0)}),e.addEventListener(
"pointermove",n=>{this.pointer={x:n.offsetX,y:n.offsetY};let s=this.drag;if(!s)return this.point();if(s.pan){let[
i,r,l,a]=this.view,o=(s.x1-n.offsetX)/this.plot*(r-i);this.look(i+o,r+o,l+Math.round((s.y1-n.offsetY)/this.row),
a)}s.x1=n.offsetX,s.y1=n.offsetY,this.draw()}),e.addEventListener("pointerup",n=>{let s=this.drag;this.drag=void 0,
s&&!s.pan&&this.released(s,n.ctrlKey||n.metaKey),this.draw()}),e.addEventListener("pointercancel",()=>this.drag=
void 0),e.addEventListener("pointerleave",()=>{this.pointer=void 0,this.tip.hidden=!0}),e.addEventListener("db\
lclick",()=>this.fit()),e.addEventListener("wheel",n=>{n.preventDefault();let s=n.deltaMode?n.deltaY*20:n.deltaY;
Math.abs(n.deltaX)>Math.abs(n.deltaY)?this.pan(n.deltaX/1e3):n.shiftKey?this.pan(s/1e3):n.altKey?this.zoomLines(
Math.exp(s/400),n.offsetY):this.zoom(Math.exp(s/400),n.offsetX)},{passive:!1})}fit(){let e=this.o.store.now.selection,
{from_ns:n,to_ns:s}=this.grid,i=fe(e.time,n,s),r=this.steps&&pe(e.steps,this.steps.total);if(r&&this.steps){let d=Math.
floor(r[0]/this.steps.stride),u=Math.min(this.steps.begin_ns.length-1,Math.floor(r[1]/this.steps.stride));i??=
[this.steps.begin_ns[d]??n,(this.steps.begin_ns[u]??s)+(this.steps.length_ns[u]??0)]}let[l,a]=i??[n,s],o=i?(a-
l)*.03:0;this.look(l-o,a+o,this.view[2],this.view[3],!1)}async released(e,n){let s=this.o.store;if(Math.abs(e.
x1-e.x)<4&&Math.abs(e.y1-e.y)<4){let d=this.markers.find(p=>Math.abs(this.x(p.at)-e.x)<6&&Math.abs((this.yOfRank(
p.rank)??-99)-5-e.y)<9);if(d)return d.choose();let u=this.layout.band(this.lineAt(e.y));if(u&&e.y>=R)return this.
chooseBand(u,e.x<E);let h=this.at(Math.floor(this.lineAt(e.y))),c=this.hit(e.x,e.y);if(c?.call){let p=c.line;return s.
set({call:[p.world,p.rank,p.thread,c.call.index],panel:"call"})}if(c?.loop?.step&&c.loop.iteration===c.loop.last_iteration)
return s.select({steps:String(c.loop.iteration),time:""});if(!h||e.y<R)return;let f=s.now.selection.rank;return n&&
f?s.select({rank:Ne(f,h.rank)?Ae(this.ranksIn(f).filter(p=>p!==h.rank)):Ae([...this.ranksIn(f),h.rank])}):s.select(
{rank:f===String(h.rank)?"":String(h.rank)})}let i=Ke(this.shared(this.timeAt(Math.max(E,Math.min(e.x,e.x1)))),
this.shared(this.timeAt(Math.max(e.x,e.x1)))),r=Math.max(0,Math.floor(this.lineAt(Math.min(e.y,e.y1)))),{total:l}=this.
layout,a=Math.min(l-1,Math.floor(this.lineAt(Math.max(e.y,e.y1)))),o=r<=0&&a>=l-1||Math.abs(e.y1-e.y)<4||e.y<R;
s.select({time:i,steps:"",rank:o?s.now.selection.rank??"":await this.ranksOf(r,a)})}ranksIn(e){return e?e.split(
",").flatMap(n=>{let[s=0,i=s]=n.split("-").map(Number);return Array.from({length:i-s+1},(r,l)=>s+l)}):[]}unfold(){
let e=this.o.store,{order:n,open:s,selection:i,view:r}=e.now;if(n!=="classes")return e.set({order:"classes",view:at(
r)});let l=this.layout.bands.filter(d=>!i.rank||Oe(i.rank,d.of.ranks)),a=ke(s),o=l.every(d=>d.open);for(let{of:d}of l)
o?a.delete(d.class):a.add(d.class);e.set({open:[...a].sort((d,u)=>d-u).join(","),view:at(r)})}chooseBand(e,n){
let s=this.o.store;if(n)return lt(s,e.of.class);e.of.ranks&&s.select({rank:s.now.selection.rank===e.of.ranks?"":
e.of.ranks})}async ranksOf(e,n){let s=this.layout.bands.filter(i=>i.at<=n&&i.at+i.height>e).flatMap(i=>this.ranksIn(
i.of.ranks));for(let i of this.layout.runs){let r=i.first+Math.max(0,e-i.at),l=i.first+Math.min(i.n-1,n-i.at);
for(let a=Math.floor(r/be)*be;a<=l;a+=be)(await j("lines",{rec:this.o.rec||void 0,order:this.order,first:a,count:be})).
lines.forEach((d,u)=>{a+u>=r&&a+u<=l&&d.rank>=0&&s.push(d.rank)})}return Ae(s)}point(){let e=this.pointer;if(!e||
e.x<E||e.y<R){this.tip.hidden=!0;return}let n=this.timeAt(e.x),s=this.lineAt(e.y),i=this.layout.line(s),[r,l]=this.
view,a=this.hit(e.x,e.y),o=[],d=i===void 0?void 0:this.line(i);if(i===void 0)o.push(...this.aboutBand(s,n));else if(a?.
call)o.push(...Vn(a.call,a.site));else if(a?.loop){let f=a.loop;o.push(m("b",{},`${f.step?"step":"iteration"} ${f.
iteration}${f.last_iteration>f.iteration?"-"+f.last_iteration:""} of ${f.of}`),m("div",{},f.name),m("div",{},x(
f.end_ns-f.start_ns)))}else a?.region?o.push(m("b",{},"region "+a.region)):o.push(...this.aboutCell(i,n));let u=this.
markers.find(f=>Math.abs(this.x(f.at)-e.x)<6&&Math.abs((this.yOfRank(f.rank)??-99)-5-e.y)<9);if(u&&o.unshift(m(
"b",{class:"bad"},u.text)),!o.length){this.tip.hidden=!0;return}C(this.tip,m("div",{class:"where"},`${d?jt(d,!0):
""}  at ${ie(n,l-r)}`),...o),this.tip.hidden=!1;let h=this.tip.offsetWidth,c=this.tip.offsetHeight;this.tip.style.
left=(e.x+16+h>this.width?Math.max(0,e.x-h-12):e.x+16)+"px",this.tip.style.top=Math.max(0,Math.min(e.y+14,this.
height-c-4))+"px"}aboutBand(e,n){let s=this.drawnBands.find(r=>e>=r.place.at&&e<r.place.at+r.place.height);if(!s)
return[];let i=Se(this.o.store.now.color);for(let r of s.bands){let l=r.shares.length/3,a=Math.floor(n/2**r.level)-
r.x*l;if(a<0||a>=l)continue;let[o,d,u]=[0,1,2].map(h=>z((r.shares[h*l+a]??0)/255));return[m("b",{},ze(s.place.
of)),m("div",{},`${Te(i)}, in ${x(2**r.level)}:`),m("div",{},`least ${o}, median ${d}, greatest ${u}`),...r.read<
r.lines?[m("div",{},`of ${k(r.read)} of ${H(r.lines,"thread")} so far`)]:[]]}return[m("b",{},ze(s.place.of)),m(
"div",{},"not read yet")]}aboutCell(e,n){for(let{head:s,place:i}of this.heads){let r=Math.floor((e-i.first)/i.
group),l=Math.floor(n/2**i.level)-i.x*256,a=s.rows[r];if(!a||l<0||l>255||e<i.first)continue;let o=this.tiles.tile(
i,this.filter,!1),d=s.categories.length;if(o?.values)return qn(s,a,o.values.subarray((r*256+l)*d,(r*256+l+1)*d));
let u=o?.cells;if(!u)continue;let h=s.categories.map((f,p)=>[u[(r*256+l)*d+p]??0,f]).filter(([f])=>f>0).sort((f,p)=>p[0]-
f[0]),c=a.threads>1?m("div",{},`mean of ${Bt(a)}`):null;return a.read===0?[m("div",{},"not read yet")]:[...c?[
c]:[],m("div",{},`mean of ${x(2**i.level)}`),...h.length?h.map(([f,p])=>m("div",{},`${z(f/255)} ${K.find(b=>b.
key===p)?.name??p}`)):[m("div",{},"nothing is known")]]}return[]}bandsDrawn(){let e=this.canvas.getBoundingClientRect();
return this.drawnBands.map(({place:n,bands:s})=>({x:e.x+E/2,y:e.y+R+(n.at-this.view[2]+n.height/2)*this.row,class:n.
of.class,read:s.length?Math.min(...s.map(i=>i.read)):0,lines:n.of.lines,open:n.open}))}callsDrawn(){let e=this.
canvas.getBoundingClientRect();return this.drawn.flatMap(n=>n.call?[{x:e.x+n.x+n.width/2,y:e.y+n.y+n.height/2,
width:n.width,func:n.call.func,index:n.call.index,rank:n.line.rank}]:[])}};function zt(t){let e=10**Math.floor(
Math.log10(t));return[1,2,5,10].map(n=>n*e).find(n=>n>=t)??t}function Dt(t){return zt(Math.max(1,t))}function lt(t,e){
let n=ke(t.now.open);n.delete(e)||n.add(e),t.set({order:"classes",open:[...n].sort((s,i)=>s-i).join(","),view:at(
t.now.view)})}function at(t){return t&&[t[0],t[1],0,1e9]}function jt(t,e){let n=(t.world?`w${t.world}:`:"")+(t.
rank<0?"?":t.rank)+(t.thread?"."+t.thread:"");return e&&!t.world&&!t.thread?"rank "+n:n}function Bt(t){return`${H(
t.threads,"thread")}: ranks ${t.rank} to ${t.last_rank}`}function qn(t,e,n){if(e.read===0)return[m("div",{},"n\
ot read yet")];let s=t.value.replace("_"," "),i=l=>t.value.startsWith("bytes")?L(l):k(l),r=t.categories.flatMap(
(l,a)=>n[a]?[m("div",{},`${i(n[a]??0)} ${Wn[l]??l}`)]:[]);return[m("b",{},s),...e.threads>1?[m("div",{},`sum o\
f ${Bt(e)}`)]:[],m("div",{},`in ${x(2**t.level)}`),...r.length?r:[m("div",{},"nothing")]]}var Wn={p2p:"point t\
o point",collective:"collective",rma:"one-sided",io:"files"};function Vn(t,e){return[m("b",{},t.func),m("div",
{},`${x(t.end_ns-t.start_ns)}${t.unfinished?", did not return":""}, call ${t.index}`),...e?[m("div",{class:"si\
te"},e)]:[]]}function qe(t){return t===null?"not known or not significant":Array.isArray(t)?"["+t.map(qe).join(", ")+"]":typeof t==
"object"?"{"+Object.entries(t).map(([e,n])=>`${e}: ${qe(n)}`).join(", ")+"}":String(t)}var It={id:"call",title:"\
Call",command:t=>t.call?["dump","--rank",String(t.call[1]),"--from",String(t.call[3]),"--limit","1"]:["dump"],
key:t=>String(t.call),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now.call;if(!i)return[m("p",{class:"empty"},
"Click a call in the map (zoom in until calls are drawn one by one), or choose one in a table.")];let[r,l,a]=i,
o={world:r||void 0,rank:l,thread:a||void 0},d=i[3];d<0&&(d+=(await P("calls",{...o,from:0,limit:1},n,s)).total);
let u=await P("calls",{...o,from:d,limit:1},n,s),h=u.calls[0];if(!h)return[m("p",{class:"empty"},`Rank ${l} ma\
de ${k(u.total)} calls: there is no call ${d}.`)];let c=h.flags?.includes("unfinished"),f=h.start_ns,p=h.end_ns??
f,b=w=>t.store.set({call:[r,l,a,w]}),g=()=>{if(f===void 0||p===void 0)return;let w=Math.max(p-f,500);t.look(f-
w,p+w,l)},M=m("div",{class:"controls"},m("b",{},h.func),`rank ${r?`w${r}:`:""}${l}${a?", thread "+a:""}, call ${k(
h.index)} of ${k(u.total)}`,m("button",{type:"button",disabled:d<=0,click:()=>b(d-1)},"\u2190 previous"),m("bu\
tton",{type:"button",disabled:d+1>=u.total,click:()=>b(d+1)},"next \u2192"),m("button",{type:"button",disabled:f===
void 0,click:g},"zoom to it"),m("button",{type:"button",click:()=>t.store.select({function:h.func})},"select t\
he function")),T=m("dl",{class:"call"});return f!==void 0&&p!==void 0&&Xn(t,T,l,f,Math.max(p,f+1),h,n),[M,m("d\
iv",{class:"columns"},Ft([["call",h.func+(h.flags?.length?` (${h.flags.join(", ")})`:"")],...Object.entries(h.
in).map(([w,y])=>[w,qe(y)]),...Object.entries(h.out).map(([w,y])=>["\u2192 "+w,qe(y)]),["returned",c?"no":h.error??
String(h.ret)]]),Ft([["begin",f===void 0?"not recorded":`${(f/1e9).toFixed(9)} s`],["duration",c||h.end_ns===void 0?
"did not return":x(h.end_ns-(f??0))],["call site",oe(h.site?.slice(0,1))||"unknown"],...(h.site??[]).slice(1).
map(w=>["called from",oe([w])])]),m("div",{},m("h3",{},"Messages of this call"),T))]})}};function Ft(t){return m(
"dl",{class:"call"},...t.flatMap(([e,n])=>[m("dt",{},e),m("dd",{},n)]))}async function Xn(t,e,n,s,i,r,l){let a=[];
try{let o=await P("arrows",{t0:Math.floor(s),t1:Math.ceil(i),max:5e3},l,()=>{});for(let d of o.arrows??[]){let u=d.
from===n&&d.send===r.index,h=d.to===n&&d.receive===r.index;if(!u&&!h)continue;let c=u?d.to:d.from;if(a.push(m(
"dt",{},u?"to":"from"),m("dd",{},m("button",{type:"button",click:()=>t.call(0,c,0,u?d.receive:d.send)},`rank ${c}\
, call ${k(u?d.receive:d.send)}`),` ${d.bytes>=0?L(d.bytes):"size unknown"}, tag ${d.tag}`,d.wait_ns>0&&m("spa\
n",{class:"bad"},h?`; waited ${x(d.wait_ns)} for rank ${d.from}, which came late`:`; rank ${d.to} waited ${x(d.
wait_ns)} for this`))),a.length>40)break}}catch{}e.replaceChildren(...a.length?a:[m("dd",{},"none are known")])}var Jn=[["sizes","sizes of messages"],["durations","durations of calls"]],Kt={id:"histogram",title:"Histogram",
command:t=>["histogram",...t.detail==="durations"?["--durations"]:[]],key:t=>X(t)+(t.panel==="histogram"?t.detail:
""),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,r=i.detail==="durations"?"durations":"sizes",l=m("div",{class:"\
controls"},V("show ",Jn,r,o=>t.store.set({detail:o==="sizes"?"":o}))),a=[];if(r==="sizes"){let o=await P("hist\
ogram",B(i),n,s);for(let d of o.histograms)d.messages&&a.push(m("div",{},m("h3",{},`${d.kind==="p2p"?"point to\
 point":d.kind}: ${k(d.messages)} messages, ${L(d.bytes)}`),Ut(d.bins.map(u=>({label:u.from===u.to?L(u.from):`${L(
u.from)} to ${L(u.to)}`,value:u.messages,text:`${k(u.messages)} messages, ${L(u.bytes)}`})))))}else{let o=await P(
"report",B(i),n,s);for(let d of[...o.calls??[]].sort((u,h)=>h.mpi.sum_ns-u.mpi.sum_ns).slice(0,6))a.push(m("di\
v",{},m("h3",{title:d.site},`${d.func} @ ${d.site.split(" < ")[0]}: median ${x(d.durations.p50_ns)}`),Ut(Yn(d.
durations.bins??[]).map(u=>({label:`${x(u.from_ns)} to ${x(u.to_ns)}`,value:u.count,text:`${k(u.count)} calls`})))))}
return[l,a.length?m("div",{class:"columns"},...a):m("p",{class:"empty"},"There is nothing of this kind in the \
selection.")]})}};function Yn(t){let e=new Map;for(let n of t){let s=Math.floor(Math.log2(Math.max(1,n.from_ns))),
i=e.get(s);i?i.count+=n.count:e.set(s,{from_ns:2**s,to_ns:2**(s+1),count:n.count})}return[...e.values()]}function Ut(t){
let e=Math.max(1,...t.map(l=>l.value)),n=150,s=110,i=ye("svg",{width:n+s+170,height:t.length*18+4,role:"list"});
t.forEach((l,a)=>{let o=a*18;i.append(ye("g",{role:"listitem","aria-label":`${l.label}: ${l.text}`},ye("text",
{x:n-6,y:o+13,"text-anchor":"end"},l.label),ye("rect",{class:"value",x:n,y:o+3,width:Math.max(1,l.value/e*s),height:13}),
ye("text",{x:n+l.value/e*s+5,y:o+13},l.text)))});let r=m("div",{class:"chart"});return r.append(i),r}var Gn=20,qt={id:"icicle",title:"Icicle",command:()=>["profile","--by","site"],key:t=>X(t)+(t.panel==="icicle"?
t.detail:""),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,r=await P("profile",{...B(i),by:"site"},n,s),l=r.
time_ns!==void 0,a={name:l?"time in calls":"calls",value:0,calls:0,call:!1,children:new Map};for(let b of r.rows){
let g=l?b.times?.total_ns??0:b.calls,M=[...b.site??[]].reverse().map(w=>w.func||(w.file??"?").replace(/^.*\//,
"")+(w.offset?"+0x"+w.offset.toString(16):"")),T=a;T.value+=g,T.calls+=b.calls;for(let w of[...M,b.func??""]){
let y=w===b.func&&w!=="",_=T.children.get(w);_||T.children.set(w,_={name:w,value:0,calls:0,call:y,children:new Map}),
T=_,T.value+=g,T.calls+=b.calls}}if(!a.value)return[m("p",{class:"empty"},"There is nothing of this kind in th\
e selection.")];let o=i.detail?i.detail.split(""):[],d=a;for(let b of o)d=d.children.get(b)??d;let u=m("div",
{class:"icicle",role:"tree","aria-label":"Functions by "+(l?"time":"calls")}),h=Math.max(400,e.clientWidth-40),
c=b=>`${b.name}: ${l?x(b.value):""} ${z(b.value/a.value)}, ${k(b.calls)} calls`,f=0,p=(b,g,M,T)=>{let w=b.value/
d.value*h;if(w<1.5||f++>3e3)return;let y=m("button",{type:"button",role:"treeitem",title:c(b),"aria-label":c(b),
click:()=>{b.call?t.store.select({function:b.name}):t.store.set({detail:(b===d?T.slice(0,-1):T).join("")})}},
w>30?b.name:"");y.style.left=g+"px",y.style.top=M*Gn+"px",y.style.width=Math.max(1,w-1)+"px",y.style.background=
b.call?te(Y(3)):te(Y(K.findIndex(v=>v.key==="lifecycle"))),b.call?y.style.color="#111820":y.style.color="inher\
it",u.append(y);let _=g;for(let v of[...b.children.values()].sort((I,N)=>N.value-I.value))p(v,_,M+1,[...T,v.name]),
_+=v.value/d.value*h};return p(d,0,0,o),[m("p",{class:"empty"},`As wide as ${l?"time in calls":"the number of \
calls"} of all selected ranks; orange: calls. A click unfolds, on the uppermost goes back.`),u]})}};var Vt={id:"loops",title:"Loops",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.selection.function,
t.selection.step_loop,t.panel==="loops"?t.detail:""]),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,r=await P(
"loops",{rank:i.selection.rank,function:i.selection.function,step_loop:i.selection.step_loop},n,s),l=Math.max(
0,Math.min(r.classes.length-1,Number(i.detail)||0)),a=r.classes[l];if(!a)return[m("p",{class:"empty"},"No call\
s are selected.")];let o=m("div",{},m("p",{class:"empty"},"A loop, or all of a rank, as C: choose \u2018as C\u2019.")),
d=m("div",{class:"tree"},Xt(a.body,a.blocks??[],0,t,u=>{Wt(o,a.blocks??[],u)}));return[m("div",{class:"control\
s"},V("ranks that do the same ",r.classes.map((u,h)=>[String(h),`${u.ranks||"?"}${u.thread?", thread "+u.thread:
""} (${k(u.calls)} calls)`]),String(l),u=>t.store.set({detail:u==="0"?"":u})),m("span",{},`${k(r.classes.length)}\
 ${r.classes.length===1?"class":"classes"}`),m("button",{type:"button",click:()=>{Wt(o,a.blocks??[])}},"all of\
 it as C")),m("div",{class:"columns"},d,o)]})}};function Zn(t){let e=t.site?.[0],n=oe(e?[e]:[]);return e?.last_line&&
e.last_line!==e.line?n.replace(/:(\d+)/,`:$1-${e.last_line}`):n}function Xt(t,e,n,s,i){let r=m("ul",{role:n?"g\
roup":"tree"});for(let l of t){let a=l.body??(l.block!==void 0?e[l.block]:void 0),o=l.min===l.max?k(l.min):`${k(
l.min)} to ${k(l.max)}`,d=m("li",{role:"treeitem"}),u=l.share_of_time!==void 0?z(l.share_of_time)+" of time":z(
l.share_of_calls)+" of calls",h=l.kind==="call"?`${o==="1"?"":o+" \xD7 "}${l.func}`:l.kind==="loop"?`loop, ${o}\
 times`:l.kind==="mixed"?"calls in no regular order":"block",c=(l.params??[]).filter(p=>/^(dest|source|count|sendcount|tag|root|comm)$/.
test(p.name)).map(p=>`${p.name} ${p.relation?"= "+p.relation:p.values.join(", ")+(p.more?", \u2026":"")}`).join(
"; "),f=m("span",{class:"node"+(l.time_step?" step":"")},l.kind==="call"?m("button",{type:"button",class:"text",
click:()=>s.store.select({function:l.func??""})},h):m("span",{},h),l.time_step&&m("span",{class:"bad"},"time s\
tep"),m("span",{class:"count"},u),m("span",{class:"params"},c),m("span",{class:"params",title:oe(l.site)},Zn(l)),
l.kind==="loop"&&m("button",{type:"button",click:()=>i(l)},"as C"));if(a?.length&&n<40){let p,b=n<3,g=m("butto\
n",{type:"button",class:"toggle","aria-expanded":b?"true":"false","aria-label":"unfold "+h},b?"\u25BE":"\u25B8"),
M=T=>{g.setAttribute("aria-expanded",String(T)),C(g,T?"\u25BE":"\u25B8"),p?.remove(),p=void 0,T&&d.append(p=Xt(
a,e,n+1,s,i))};g.addEventListener("click",()=>M(!p)),d.append(g,f),b&&M(!0)}else d.append(m("span",{class:"tog\
gle"}),f);r.append(d)}return r}function Jt(t,e,n=0){if(t.func||n>40)return t.func;for(let s of t.body??(t.block!==
void 0?e[t.block]??[]:[])){let i=Jt(s,e,n+1);if(i)return i}}async function Wt(t,e,n){C(t,m("p",{class:"pending"},
"writing C \u2026"));try{let s=n?.site?.[0],i=await j("code",{times:n?.max,call:n?Jt(n,e):void 0}),r=i.text.split(
`
`),l=r.length>5e3?r.slice(0,5e3).join(`
`)+`
/* ${r.length-5e3} more lines: tabard proxy writes all */`:i.text;C(t,m("h3",{},`${i.title||(s?oe([s]):"")} (${k(
i.lines)} lines)`),m("pre",{class:"code",tabindex:0}));let a=t.querySelector("pre");a&&(a.textContent=l.replace(
/[^\S\n\t ]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,"\uFFFD"));
for(let o of i.notes??[])t.append(m("p",{class:"empty"},o))}catch(s){C(t,m("p",{class:"failed"},le(s)))}}var ge=24;function O(t){if(!t.rows.length)return m("p",{class:"empty"},t.empty??"There is nothing of this kind\
 in the selection.");let e=t.rows,n=t.sort??-1,s=!1,i=Math.max(0,t.chosen?e.findIndex(t.chosen):0),r=m("tbody"),
l=m("tr",{"aria-rowindex":1}),a=m("table",{role:"grid","aria-label":t.label,"aria-rowcount":e.length+1},m("the\
ad",{},l),r),o=m("div",{class:"scroll",tabindex:-1},a);function d(){let g=t.columns[n]?.by;e=g?[...t.rows].sort(
(M,T)=>{let w=g(M),y=g(T);return(w<y?-1:w>y?1:0)*(s?1:-1)}):t.rows}function u(){C(l,...t.columns.map((g,M)=>m(
"th",{scope:"col",class:(g.number?"number":"")+(g.wide?" wide":""),title:g.help,"aria-sort":n===M?s?"ascending":
"descending":void 0},g.by?m("button",{type:"button",click:()=>{s=n===M?!s:!g.number,n=M,d(),u(),i=0,c()}},g.title+
(n===M?s?" \u25B4":" \u25BE":"")):g.title)))}function h(g){let M=m("tr",{"aria-hidden":"true"},m("td",{colspan:t.
columns.length,class:"spacer"}));return M.firstChild.style.height=g*ge+"px",M}function c(g=!1){let M=Math.max(
0,Math.floor(o.scrollTop/ge)-10),T=Math.min(e.length,M+Math.ceil((o.clientHeight||600)/ge)+20),w=[];M>0&&w.push(
h(M));for(let y=M;y<T;y++){let _=e[y],v=m("tr",{"aria-rowindex":y+2,tabindex:y===i?0:-1,"data-row":y,"aria-sel\
ected":t.chosen?.(_)?"true":void 0},...t.columns.map(I=>m("td",{class:(I.number?"number":"")+(I.wide?" wide":"")},
I.cell(_))));w.push(v),g&&y===i&&queueMicrotask(()=>v.focus({preventScroll:!0}))}T<e.length&&w.push(h(e.length-
T)),r.replaceChildren(...w)}function f(g){i=Math.max(0,Math.min(e.length-1,g));let M=i*ge;M<o.scrollTop?o.scrollTop=
M:M+2*ge>o.scrollTop+o.clientHeight&&(o.scrollTop=M+2*ge-o.clientHeight),c(!0)}function p(g){let M=e[g];M===void 0||
!t.choose||(i=g,t.choose(M))}a.addEventListener("click",g=>{let M=g.target.closest("tr[data-row]");M&&!g.target.
closest("button, a")&&p(Number(M.dataset.row))}),a.addEventListener("keydown",g=>{if(!g.target.closest("tbody"))
return;let M=Math.max(1,Math.floor(o.clientHeight/ge)-2),T={ArrowDown:i+1,ArrowUp:i-1,PageDown:i+M,PageUp:i-M,
Home:0,End:e.length-1}[g.key];if(T!==void 0)f(T);else if(g.key==="Enter"||g.key===" ")p(i);else return;g.preventDefault(),
g.stopPropagation()});let b=!1;return o.addEventListener("scroll",()=>{b||(b=!0,requestAnimationFrame(()=>{b=!1,
c(r.contains(document.activeElement))}))}),t.choose&&a.classList.add("choosable"),d(),u(),requestAnimationFrame(
()=>c()),c(),o}function W(t,e,n="bar"){let s=m("span",{class:"fill "+n,"aria-hidden":"true"});return s.style.width=
Math.max(0,Math.min(100,t*100))+"%",m("span",{class:"bar"},s,m("span",{class:"value"},e))}var Yt=[["p2p","point to point"],["collective","collectives"],["rma","one-sided"],["all","all"]],Gt=[["bytes",
"bytes"],["messages","messages"]];function ct(t){let[e="",n=""]=t.split(",");return[Yt.some(([s])=>s===e)?e:"p\
2p",Gt.some(([s])=>s===n)?n:"bytes"]}var Zt={id:"matrix",title:"Matrix",command:t=>["matrix","--kind",ct(t.detail)[0]],
key:t=>JSON.stringify([t.selection,ct(t.detail)]),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,[r,l]=ct(i.detail),
a=await P("matrix",{...B(i),kind:r,bins:64},n,s),o=v=>a.columns.indexOf(v),[d,u,h,c]=[o("from"),o("to"),o("mes\
sages"),o("bytes")],f=a.cells??[],p=a.bins||a.processes,b=a.processes/p,g=v=>a.bins&&b>1?`${Math.ceil(v*b)}-${Math.
ceil((v+1)*b)-1}`:String(v),M=l==="bytes"?c:h,T=v=>l==="bytes"?L(v):l==="messages"?k(v):x(v),w=v=>{let I=[...new Set(
[v[d]??0,v[u]??0])].sort((N,D)=>N-D).map(g).join(",");t.store.select({rank:I})},y=Qn(f,p,d,u,M,v=>v?`${g(v[d]??
0)} to ${g(v[u]??0)}: ${k(v[h]??0)} messages, ${L(v[c]??0)}`:"",w,T,Math.max(120,e.clientHeight-96)),_=a.totals[r];
return[m("div",{class:"controls"},V("messages ",Yt,r,v=>t.store.set({detail:`${v},${l}`})),V("colour ",Gt,l,v=>t.
store.set({detail:`${r},${v}`})),_&&m("span",{},`${k(_.messages)} messages, ${L(_.bytes)}`+(_.nowhere?`; ${k(_.
nowhere)} to unknown partners`:"")),a.missing>0&&m("span",{class:"bad"},`${k(a.missing)} ranks are not selecte\
d or not recorded: what they send is not known`)),m("div",{class:"columns"},f.length?y:m("p",{class:"empty"},"\
No such messages in the selection."),m("div",{},O({label:"Messages by pairs of ranks",rows:f,sort:l==="bytes"?
3:2,choose:w,columns:[{title:a.bins&&b>1?"senders":"sender",number:!0,by:v=>v[d]??0,cell:v=>g(v[d]??0)},{title:a.
bins&&b>1?"receivers":"receiver",number:!0,by:v=>v[u]??0,cell:v=>g(v[u]??0)},{title:"messages",number:!0,by:v=>v[h]??
0,cell:v=>k(v[h]??0)},{title:"bytes",number:!0,by:v=>v[c]??0,cell:v=>L(v[c]??0)},{title:"mean size",number:!0,
by:v=>(v[c]??0)/(v[h]||1),cell:v=>L((v[c]??0)/(v[h]||1))}]})))]})}};function Qn(t,e,n,s,i,r,l,a,o){let d=Math.
max(e,1),u=m("canvas",{width:d,height:d,role:"img","aria-label":"Senders from top to bottom, receivers from le\
ft to right. The table beside it has the same as text."}),h=Math.max(1,...t.map(y=>y[i]??0)),c=Math.min(...t.map(
y=>y[i]||1/0)),f=u.getContext("2d"),p=new Map;if(f){let y=f.createImageData(d,d);for(let _ of t){let[v,I,N]=[_[n]??
0,_[s]??0,_[i]??0];if(p.set(v*d+I,_),!N)continue;let D=h>c?Math.log(N/c)/Math.log(h/c):1,U=3*Math.round(255*Math.
max(0,Math.min(1,.06+.94*D)));y.data.set([F[U]??0,F[U+1]??0,F[U+2]??0,255],4*(v*d+I))}f.putImageData(y,0,0)}let b=m(
"p",{class:"under","aria-hidden":"true"},"rows send, columns receive"),g=Math.max(1,Math.min(28,Math.floor(o/d)));
u.style.width=g*d+"px",u.style.height=g*d+"px";let M=y=>p.get(Math.floor(y.offsetY/g)*d+Math.floor(y.offsetX/g));
u.addEventListener("pointermove",y=>C(b,r(M(y))||"rows send, columns receive")),u.addEventListener("click",y=>{
let _=M(y);_&&l(_)});let T=m("canvas",{class:"ramp",width:256,height:1,"aria-hidden":"true"}),w=T.getContext("\
2d");if(w){let y=w.createImageData(256,1);for(let _=0;_<256;_++)y.data.set([F[3*_]??0,F[3*_+1]??0,F[3*_+2]??0,
255],4*_);w.putImageData(y,0,0)}return m("div",{class:"narrow"},m("div",{class:"picture"},u),b,m("div",{class:"\
legend"},m("span",{class:"key"},Number.isFinite(c)?a(c):"",T,a(h))))}var Q=78,G=74,we=18,en={id:"memory",title:"Memory",key:X,show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,{from_ns:r,
to_ns:l}=t.overview.grid??{from_ns:0,to_ns:1},a=fe(i.selection.time,r,l),o=a&&{t0:Math.max(0,Math.floor(a[0])),
t1:Math.ceil(a[1])},d=await P("inflight",{...B(i,["time"]),...o},n,s),u=d.rows.reduce((p,b)=>p+b.requests,0);if(!u)
return[m("p",{class:"empty"},"No request is in flight in the selection.")];let h=d.rows.reduce((p,b)=>p+b.unsized,
0),c=d.rows.reduce((p,b)=>p+b.open,0),f=d.rows.reduce((p,b)=>b.most_bytes>p.most_bytes?b:p);return[m("p",{class:"\
empty"},`Buffers of ${H(u,"request")}, from the call that begins an operation to the one that completes it. `+
(f.most_rank<0?"None of them binds anything in this time. ":`Most of one process: ${L(f.most_bytes)}, rank ${f.
most_rank} at ${ie(f.most_ns,d.to_ns-d.from_ns)}. `)+(c?`${H(c,"request")} never completed. `:"")+(h?`Not coun\
ted: ${H(h,"request")} of unknown size.`:"")),m("div",{class:"columns"},es(t,d,Math.max(420,e.clientWidth/2-30)),
is(t,d))]})}};function es(t,e,n){let s=G+we+Math.max(40,Math.min(140,e.rows.length*14)),i=m("canvas",{class:"i\
nflight",role:"img","aria-label":"Bytes in flight over time: above the sum of all ranks, below the most of a s\
ingle one in each row of ranks. The table beside it has the greatest ones. A click selects the time."}),r=devicePixelRatio||
1;i.width=Math.round(n*r),i.height=Math.round(s*r),i.style.width=n+"px",i.style.height=s+"px";let l=i.getContext(
"2d"),a=e.rows[0]?.mean_bytes.length??0,o=Array.from({length:a},(h,c)=>e.rows.reduce((f,p)=>f+(p.mean_bytes[c]??
0),0)),d=Math.max(1,...e.rows.map(h=>h.most_bytes));l&&(l.scale(r,r),ts(l,e,o,n),ns(l,e,d,n,s));let u=h=>Math.
max(0,Math.min(a-1,Math.floor((h-Q)/(n-Q)*a)));return i.addEventListener("pointermove",h=>{let c=u(h.offsetX),
f=e.from_ns+c*e.bin_ns,p=e.rows[Math.floor((h.offsetY-G-we)/(s-G-we)*e.rows.length)];i.title=`${ie(f,e.to_ns-e.
from_ns)}, mean of ${x(e.bin_ns)}: ${L(o[c]??0)} of all`+(p?`; most of one of ${ss(p)}: ${L(p.peak_bytes[c]??0)}`:
"")}),i.addEventListener("click",h=>{let c=e.from_ns+u(h.offsetX)*e.bin_ns;t.store.select({time:Ke(c,Math.min(
e.to_ns,c+e.bin_ns)),steps:""})}),m("div",{class:"chart"},i)}function ts(t,e,n,s){let i=Math.max(1,...n),r=(s-
Q)/n.length;t.fillStyle=S("step"),n.forEach((l,a)=>{let o=l/i*(G-10);t.fillRect(Q+a*r,G-o,Math.max(r,.6),o)}),
t.fillStyle=S("faint"),t.strokeStyle=S("rule"),t.font="11px system-ui, DejaVu Sans, sans-serif",t.textAlign="r\
ight",t.textBaseline="middle",t.fillText(L(Math.max(0,...n)),Q-6,10),t.fillText("all",Q-6,G-8),t.fillText(ie(e.
to_ns,e.to_ns-e.from_ns),s,G+we/2),t.textAlign="left",t.fillText(ie(e.from_ns,e.to_ns-e.from_ns),Q,G+we/2),t.beginPath(),
t.moveTo(Q,G+.5),t.lineTo(s,G+.5),t.stroke()}function ns(t,e,n,s,i){let r=(i-G-we)/e.rows.length,l=0;e.rows.forEach(
(a,o)=>{let d=G+we+o*r,u=(s-Q)/a.peak_bytes.length;a.peak_bytes.forEach((h,c)=>{let f=3*Math.round(255*h/n);t.
fillStyle=`rgb(${F[f]??0},${F[f+1]??0},${F[f+2]??0})`,t.fillRect(Q+c*u,d,u+.5,r+(r<4?.5:-1))}),!(d<l)&&(l=d+12,
t.fillStyle=S("ink"),t.textAlign="right",t.fillText(a.processes>1?`${a.rank}\u2013${a.last_rank}`:`rank ${a.rank}`,
Q-6,d+Math.max(r/2,5)))})}function ss(t){return t.processes>1?`ranks ${t.rank}-${t.last_rank}`:`rank ${t.rank}`}
function is(t,e){let n=t.store.now,s=i=>i.processes>1?`${i.rank}-${i.last_rank}`:String(i.rank);return O({label:"\
Memory of requests in flight",rows:e.rows,chosen:i=>n.selection.rank===s(i),choose:i=>t.store.select({rank:n.selection.
rank===s(i)?"":s(i)}),columns:[{title:"ranks",number:!0,by:i=>i.rank,cell:s},{title:"most of one",number:!0,by:i=>i.
most_bytes,cell:i=>L(i.most_bytes),help:"the most that the buffers of one process take at a moment"},{title:"r\
ank",number:!0,by:i=>i.most_rank,cell:i=>i.most_rank<0?"":i.most_rank},{title:"at",number:!0,by:i=>i.most_ns,cell:i=>i.
most_rank<0?"":ie(i.most_ns,e.to_ns-e.from_ns)},{title:"mean",number:!0,by:i=>Qt(e,i),cell:i=>L(Qt(e,i)),help:"\
of the time that is shown, of all ranks of the row together"},{title:"requests",number:!0,by:i=>i.requests,cell:i=>k(
i.requests),help:"of the whole run"},{title:"never completed",number:!0,by:i=>i.open,cell:i=>i.open?k(i.open):
""},{title:"",wide:!0,cell:()=>""}]})}function Qt(t,e){return e.mean_bytes.reduce((s,i,r)=>s+i*(Math.min(t.to_ns,
t.from_ns+(r+1)*t.bin_ns)-t.from_ns-r*t.bin_ns),0)/Math.max(1,t.to_ns-t.from_ns)}var tn={id:"messages",title:"Messages",command:()=>["messages"],key:t=>JSON.stringify(t.selection),show:(t,e)=>{
A(e,async(n,s)=>{let i=t.store.now,[r,l]=t.window(),a=await P("messages",B(i),n,s),o=await P("arrows",{t0:Math.
floor(r),t1:Math.ceil(l),max:1},n,s).catch(()=>null),d=m("div",{},m("h3",{},`${k(a.messages)} messages, ${L(a.
bytes)}; ${k(a.unmatched_sends)} were never received, ${k(a.unmatched_receives)} receives got none`+(a.incomplete.
length?`; ${k(a.incomplete.length)} collectives lack members`:"")),a.unmatched.length?O({label:"Messages witho\
ut a partner",rows:a.unmatched,choose:c=>t.call(0,c.first.process,0,c.first.call),columns:[{title:"what",by:c=>c.
kind,cell:c=>c.kind},{title:"count",number:!0,by:c=>c.count,cell:c=>k(c.count)},{title:"bytes",number:!0,by:c=>c.
bytes,cell:c=>L(c.bytes)},{title:"ranks",cell:c=>c.processes},{title:"peer",number:!0,cell:c=>c.first.peer??"a\
ny"},{title:"tag",number:!0,cell:c=>c.first.tag??"any"},{title:"why",by:c=>c.reason,cell:c=>c.reason},{title:"\
call",wide:!0,cell:c=>`${c.function} @ ${c.site}`}]}):m("p",{class:"empty"},"Every message has a sender and a \
receiver."),a.incomplete.length?O({label:"Collectives that not all members made",rows:a.incomplete,choose:c=>t.
store.select({function:c.function}),columns:[{title:"missing",number:!0,by:c=>c.missing,cell:c=>`${c.missing} \
of ${c.members}`},{title:"came",cell:c=>"ranks "+c.present},{title:"collective",wide:!0,cell:c=>`${c.function}\
 @ ${c.site}`}]}):null),u=m("div",{},m("h3",{},"To whom, as functions of the rank"),O({label:"Partners as func\
tions of the rank",rows:o?.formulas??[],sort:0,empty:"No partner follows from the rank here.",choose:c=>t.store.
select({function:c.func}),columns:[{title:"calls",number:!0,by:c=>c.calls,cell:c=>k(c.calls)},{title:"formula",
by:c=>c.text,cell:c=>m("code",{},c.text)},{title:"ranks",by:c=>c.ranks,cell:c=>c.ranks},{title:"call",wide:!0,
by:c=>c.func,cell:c=>m("span",{title:c.site},`${c.func} @ ${c.site}`)}]})),h=o?.bundles?.length?m("div",{class:"\
narrow"},m("h3",{},"Pairs of ranks"),O({label:"Messages by pairs of ranks",rows:o.bundles,sort:3,choose:c=>t.store.
select({rank:c.from===c.to?String(c.from):[c.from,c.to].sort((f,p)=>f-p).join(",")}),columns:[{title:"from",number:!0,
by:c=>c.from,cell:c=>c.from},{title:"to",number:!0,by:c=>c.to,cell:c=>c.to},{title:"messages",number:!0,by:c=>c.
messages,cell:c=>k(c.messages)},{title:"bytes",number:!0,by:c=>c.bytes,cell:c=>L(c.bytes)}]})):null;return[m("\
div",{class:"columns"},d,u,...h?[h]:[])]})}};var nn={id:"comms",title:"Communicators",command:()=>["info","--comms"],key:t=>String(t.selection.comm),show:(t,e)=>{
A(e,async(n,s)=>{let i=await P("comms",{},n,s);return[O({label:"Communicators",rows:i.communicators,chosen:r=>t.
store.now.selection.comm===String(r.id),choose:r=>t.store.select({comm:t.store.now.selection.comm===String(r.id)?
"":String(r.id)}),columns:[{title:"number",number:!0,by:r=>r.id,cell:r=>r.id},{title:"name",by:r=>r.name,cell:r=>r.
name+(r.labels?.length?` (${r.labels.join(", ")})`:"")},{title:"size",number:!0,by:r=>r.size,cell:r=>k(r.size)},
{title:"made",number:!0,by:r=>r.made,cell:r=>k(r.made)},{title:"freed",number:!0,by:r=>r.freed,cell:r=>k(r.freed)},
{title:"made by",by:r=>r.how,cell:r=>r.how},{title:"members",wide:!0,cell:r=>m("span",{title:r.members},r.members)},
{title:"where",wide:!0,by:r=>r.site??"",cell:r=>m("span",{title:r.site??""},r.site??"")}]})]})}},sn={id:"ranks",
title:"Ranks",command:()=>["report"],key:X,show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,l=(await P("report",
B(i,["rank"]),n,s)).ranks??[],a=Math.max(1,...l.map(o=>Math.max(o.mpi_ns,o.computation_ns)));return[O({label:"\
Ranks",rows:l,empty:"There are no times in the selection.",chosen:o=>i.selection.rank===String(o.process),choose:o=>t.
store.select({rank:i.selection.rank===String(o.process)?"":String(o.process)}),columns:[{title:"rank",number:!0,
by:o=>o.process,cell:o=>o.process},{title:"computation",number:!0,by:o=>o.computation_ns,cell:o=>W(o.computation_ns/
a,x(o.computation_ns))},{title:"in calls",number:!0,by:o=>o.mpi_ns,cell:o=>W(o.mpi_ns/a,x(o.mpi_ns),"warm")},{
title:"share in calls",number:!0,by:o=>o.mpi_ns/(o.mpi_ns+o.computation_ns||1),cell:o=>z(o.mpi_ns/(o.mpi_ns+o.
computation_ns||1))},{title:"calls",number:!0,by:o=>o.calls,cell:o=>k(o.calls)},{title:"begins",number:!0,by:o=>o.
begin_ns,cell:o=>x(o.begin_ns)},{title:"ends",number:!0,by:o=>o.end_ns,cell:o=>x(o.end_ns)},{title:"",wide:!0,
cell:()=>""}]})]})}},on={id:"classes",title:"Classes",command:()=>["loops"],key:t=>JSON.stringify([t.selection.
rank,t.order,t.open]),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,r=await P("classes",{},n,s),l=ke(i.order===
"classes"?i.open:""),a=r.total-r.classes.length;return[m("h3",{},`${H(r.total,"class")} of threads that made t\
he same calls in the same order`+(a?`: the first ${r.classes.length}; the ranks of the others are rows of the \
map`:"")),O({label:"Classes",rows:r.classes,chosen:o=>!!i.selection.rank&&i.selection.rank===o.ranks,choose:o=>{
o.ranks&&t.store.select({rank:i.selection.rank===o.ranks?"":o.ranks})},columns:[{title:"class",number:!0,by:o=>o.
class,cell:o=>o.class},{title:"threads",number:!0,by:o=>o.lines,cell:o=>k(o.lines)},{title:"thread",number:!0,
by:o=>o.thread,cell:o=>o.thread},{title:"on the map",cell:o=>o.lines>1?m("button",{type:"button","aria-expande\
d":String(l.has(o.class)),"aria-label":`unfold class ${o.class} on the map`,click:()=>lt(t.store,o.class)},l.has(
o.class)?"fold":"unfold"):""},{title:"ranks",wide:!0,cell:o=>m("span",{title:o.ranks},o.ranks||`${k(o.lines)} \
ranks: a list too long to show`)}]})]})}},rn={id:"steps",title:"Steps",command:()=>["report"],key:t=>JSON.stringify(
[t.selection.steps,t.selection.step_loop]),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,r=await P("steps",{
step_loop:i.selection.step_loop},n,s),l=new Map((r.slow??[]).map(u=>[Math.floor(u.step/r.stride),u])),a=r.begin_ns.
map((u,h)=>({i:h,begin:u,length:r.length_ns[h]??0,mean:r.mean_ns[h]??0,work:r.computation_ns[h]??0,slow:l.get(
h)})),o=Math.max(1,...a.map(u=>u.length)),d=u=>r.stride>1?`${u*r.stride}-${Math.min(r.total,(u+1)*r.stride)-1}`:
String(u);return[m("h3",{},`${k(r.total)} time steps${r.loop?" of the loop at "+r.loop:r.region?" (region "+r.
region+")":""}, median ${x(r.median_ns)}`),O({label:"Time steps",rows:a,empty:"No time steps were found.",chosen:u=>i.
selection.steps===d(u.i),choose:u=>t.store.select({steps:i.selection.steps===d(u.i)?"":d(u.i),time:""}),columns:[
{title:"step",number:!0,by:u=>u.i,cell:u=>d(u.i)},{title:"begins",number:!0,by:u=>u.begin,cell:u=>`${(u.begin/
1e9).toFixed(6)} s`},{title:"slowest rank",number:!0,by:u=>u.length,cell:u=>W(u.length/o,x(u.length),u.slow?"w\
arm":"bar")},{title:"mean",number:!0,by:u=>u.mean,cell:u=>x(u.mean)},{title:"most computation",number:!0,by:u=>u.
work,cell:u=>x(u.work)},{title:"too long by",number:!0,by:u=>u.slow?.excess_ns??0,cell:u=>u.slow?x(u.slow.excess_ns):
""},{title:"because of",wide:!0,by:u=>u.slow?.cause??"",cell:u=>u.slow?`${u.slow.cause}${u.slow.process>=0?`, \
rank ${u.slow.process}`:""}`:""}]})]})}},an={id:"outliers",title:"Odd ranks",command:()=>["outliers"],key:X,show:(t,e)=>{
A(e,async(n,s)=>{let i=await P("outliers",B(t.store.now),n,s);return[O({label:"Ranks that did something else t\
han the others",rows:i.outliers,empty:`All ranks do what others do too (${k(i.variants.length)} ${i.variants.length===
1?"variant":"variants"} of calls).`,choose:r=>{let l=i.variants[r.variant]?.ranks??"",a=/^\d+/.exec(l)?.[0];t.
store.select({rank:l}),a&&t.call(0,Number(a),0,r.call)},columns:[{title:"ranks",by:r=>i.variants[r.variant]?.ranks??
"",cell:r=>i.variants[r.variant]?.ranks??""},{title:"like",cell:r=>i.variants[r.of]?`to ${i.variants[r.of]?.ranks}`:
""},{title:"how",by:r=>r.kind,cell:r=>r.kind},{title:"differences",number:!0,by:r=>r.differences,cell:r=>k(r.differences)},
{title:"what",wide:!0,by:r=>r.what,cell:r=>m("span",{title:r.what},r.what)}]})]})}},ln={id:"compare",title:"Co\
mpare",command:()=>["diff"],key:X,show:(t,e)=>{A(e,async(n,s)=>{let i=await P("diff",B(t.store.now),n,s),r=i.times,
l=Math.max(1,...(r?.sites??[]).map(a=>Math.abs(a.b_ns-a.a_ns)));return[m("div",{class:"columns"},m("div",{},m(
"h3",{},i.same?"No differences in calls":`${k(i.total_differences)} differences in calls`),O({label:"Differenc\
es",rows:i.differences,empty:"Both made the same calls.",choose:a=>{let o=a.loops?.find(u=>u.step),d=/^\d+/.exec(
a.ranks)?.[0];t.store.select({rank:a.ranks,...o?{steps:String(o.iteration),time:""}:{}}),d&&!o&&t.call(a.world??
0,Number(d),a.thread??0,a.call_a)},columns:[{title:"kind",by:a=>a.kind,cell:a=>a.kind},{title:"ranks",by:a=>a.
num_ranks,cell:a=>a.ranks},{title:"step",number:!0,by:a=>a.loops?.find(o=>o.step)?.iteration??-1,cell:a=>a.loops?.
find(o=>o.step)?.iteration??""},{title:"what",wide:!0,cell:a=>m("span",{title:a.text},a.text)}]})),m("div",{},
m("h3",{},r?`time ${x(r.elapsed_a_ns)} and ${x(r.elapsed_b_ns)}`:"no times"),r?O({label:"Time by call site in \
both",rows:r.sites,choose:a=>t.store.select({function:a.func}),columns:[{title:"second takes more",number:!0,by:a=>a.
b_ns-a.a_ns,cell:a=>W(Math.abs(a.b_ns-a.a_ns)/l,(a.b_ns>a.a_ns?"+":"")+x(a.b_ns-a.a_ns),a.b_ns>a.a_ns?"warm":"\
bar")},{title:"first",number:!0,by:a=>a.a_ns,cell:a=>x(a.a_ns)},{title:"second",number:!0,by:a=>a.b_ns,cell:a=>x(
a.b_ns)},{title:"call",wide:!0,by:a=>a.func,cell:a=>m("span",{title:a.site??""},`${a.func} @ ${a.site??""}`)}]}):
null),...i.notes?.length?[m("div",{class:"narrow"},...i.notes.map(a=>m("p",{class:"empty"},a)))]:[])]})}};var dn=[["site","call site"],["function","function"],["comm","communicator"],["rank","rank"]];function dt(t){return dn.
some(([e])=>e===t)?t:"site"}var un={id:"sites",title:"Call sites",command:t=>["profile","--by",dt(t.detail)],key:t=>X(
t)+dt(t.detail),show:(t,e)=>{A(e,async(n,s)=>{let i=t.store.now,r=dt(i.detail),l=await P("profile",{...B(i),by:r},
n,s),a=h=>m("div",{class:"controls"},V("by ",dn,r,c=>t.store.set({detail:c==="site"?"":c})),m("span",{class:"n\
ote",role:"status"},h));if(r!=="site"||!t.overview.timed)return[a(""),We(t,l,null,r)];let o=h=>{e.firstElementChild?.
classList.contains("controls")&&C(e.firstElementChild.lastElementChild,h)},d=P("waits",B(i),n,h=>o(`waiting is\
 worked out: ${h.what} \u2026`)).catch(()=>null),u=await Promise.race([d,new Promise(h=>setTimeout(()=>h(void 0),
700))]);return u!==void 0?[a(""),We(t,l,u,r)]:(d.then(h=>{n.aborted||C(e,a(h?"":"waiting is not known"),We(t,l,
h,r))}),[a("waiting is worked out \u2026"),We(t,l,null,r)])})}};function We(t,e,n,s){let i=t.store.now,r=new Map,
l=new Map;for(let c of n?.causes??[])cn(r,c.late.func+" @ "+c.late.site,c.time_ns);for(let c of n?.waits??[])cn(
l,c.waiting.func+" @ "+c.waiting.site,c.time_ns);let a=e.rows.map(c=>{let f=oe(c.site),p=`${c.func} @ ${f}`;return{
...c,where:f,name:os(c),caused:r.get(p)??0,waited:l.get(p)??0}}),o=e.elapsed_ns??0,d=e.time_ns!==void 0,u=Math.
max(1,...a.map(c=>c.times?.total_ns??0)),h=Math.max(1,...a.map(c=>c.caused));return O({label:"Calls, by "+s,rows:a,
sort:n||d?0:1,chosen:c=>s==="rank"?i.selection.rank===String(c.rank):s==="comm"?i.selection.comm===String(c.comm?.
id):!!c.func&&i.selection.function===c.func,choose:c=>{s==="rank"?t.store.select({rank:i.selection.rank===String(
c.rank)?"":String(c.rank)}):s==="comm"?t.store.select({comm:i.selection.comm===String(c.comm?.id)?"":String(c.
comm?.id)}):c.func&&t.store.select({function:i.selection.function===c.func?"":c.func})},columns:[...n?[{title:"\
causes waiting",number:!0,by:c=>c.caused||c.waited/1e9,help:"waiting of other ranks that goes back to ranks co\
ming late to these calls",cell:c=>c.caused?W(c.caused/h,x(c.caused),"warm"):""}]:[],...d?[{title:"time",number:!0,
by:c=>c.times?.total_ns??0,cell:c=>W((c.times?.total_ns??0)/u,x(c.times?.total_ns??0))},{title:"share",number:!0,
by:c=>c.times?.total_ns??0,help:"of the time of all ranks",cell:c=>z((c.times?.total_ns??0)/(s==="rank"?c.elapsed_ns||
1:o||1))}]:[],...n?[{title:"waiting in it",number:!0,by:c=>c.waited,cell:c=>c.waited?x(c.waited):""}]:[],{title:"\
calls",number:!0,by:c=>c.calls,cell:c=>k(c.calls)},...d?[{title:"mean",number:!0,by:c=>c.times?.mean_ns??0,cell:c=>c.
times?x(c.times.mean_ns):""},{title:"longest",number:!0,by:c=>c.times?.max_ns??0,cell:c=>c.times?x(c.times.max_ns):
""}]:[],{title:"bytes",number:!0,by:c=>c.bytes,cell:c=>c.bytes?L(c.bytes):""},...s==="site"||s==="function"?[{
title:"ranks",number:!0,by:c=>c.ranks,cell:c=>k(c.ranks)}]:[],{title:s==="site"?"function":s,by:c=>s==="rank"?
c.rank??0:c.name,cell:c=>c.name},...s==="site"?[{title:"call site",wide:!0,by:c=>c.where,cell:c=>m("span",{title:c.
where},c.where||"unknown")}]:[]]})}function os(t){return t.comm?t.comm.name:t.rank!==void 0?(t.world?`w${t.world}\
:`:"")+t.rank:t.func??""}function cn(t,e,n){t.set(e,(t.get(e)??0)+n)}var hn=[["causes","causes"],["places","where they wait"],["ranks","ranks"],["steps","time steps"]];function mn(t){
let e={view:"causes"};for(let n of t.split(",")){let[s="",i]=n.split(":");s==="cause"&&i?e.cause=i:s==="kind"&&
i?e.kind=i:hn.some(([r])=>r===s)&&(e.view=s)}return e}function rs(t){return[t.view,t.cause&&"cause:"+t.cause,t.
kind&&"kind:"+t.kind].filter(Boolean).join(",")}var fn={id:"waits",title:"Waits",command:t=>{let e=mn(t.detail);return["waits",...e.cause?["--cause",e.cause]:
[],...e.kind?["--kind",e.kind]:[]]},key:t=>JSON.stringify([t.selection,t.detail]),show:(t,e)=>{A(e,async(n,s)=>{
let i=t.store.now,r=mn(i.detail),l=B(i,r.cause?["rank"]:[]),a=await P("waits",{...l,cause:r.cause,kind:r.kind},
n,s),o=c=>t.store.set({detail:rs({...r,...c})}),d=Object.entries(a.kinds).filter(([,c])=>c.count>0).sort((c,f)=>f[1].
time_ns-c[1].time_ns),u=Math.max(1,...d.map(([,c])=>c.time_ns)),h=m("div",{class:"narrow"},m("h3",{},`${x(a.total.
time_ns)} in ${k(a.total.count)} waits, ${z(a.total.time_ns/(a.elapsed_ns||1))} of the time`),O({label:"Kinds \
of waits",rows:d,empty:"Nobody waits for anybody in the selection.",chosen:([c])=>r.kind===c.replaceAll(" ","-"),
choose:([c])=>o({kind:r.kind===c.replaceAll(" ","-")?"":c.replaceAll(" ","-")}),columns:[{title:"pattern",by:([
c])=>c,cell:([c])=>c},{title:"waits",number:!0,by:([,c])=>c.count,cell:([,c])=>k(c.count)},{title:"time",number:!0,
by:([,c])=>c.time_ns,cell:([,c])=>W(c.time_ns/u,x(c.time_ns),"warm")}]}));return[m("div",{class:"controls"},V(
"show ",hn,r.view,c=>o({view:c})),r.cause!==void 0&&m("span",{},`only what rank ${r.cause} causes `,m("button",
{type:"button",click:()=>o({cause:""})},"show all")),r.kind!==void 0&&m("span",{},`only ${r.kind.replaceAll("-",
" ")} `,m("button",{type:"button",click:()=>o({kind:""})},"show all"))),m("div",{class:"columns"},h,m("div",{},
as(a,r.view,t)))]})}};function as(t,e,n){let s=a=>n.store.select({steps:String(a),time:""}),i=(a,o=-1)=>n.store.
select(o>=0?{rank:String(a),steps:String(o),time:""}:{rank:String(a)},{detail:`causes,cause:${a}`}),r=a=>m("sp\
an",{title:a},a);if(e==="places"){let a=Math.max(1,...t.waits.map(o=>o.time_ns));return O({label:"Where ranks \
wait",rows:t.waits,choose:o=>n.store.select({function:o.waiting.func}),columns:[{title:"time",number:!0,by:o=>o.
time_ns,cell:o=>W(o.time_ns/a,x(o.time_ns),"warm")},{title:"waits",number:!0,by:o=>o.count,cell:o=>k(o.count)},
{title:"longest",number:!0,by:o=>o.max_ns,cell:o=>x(o.max_ns)},{title:"pattern",by:o=>o.kind,cell:o=>o.kind},{
title:"waiting most",by:o=>o.waiters?.[0]?.process??-1,cell:o=>o.waiters?.[0]?`rank ${o.waiters[0].process}`:""},
{title:"for",by:o=>o.causers?.[0]?.process??-1,cell:o=>o.causers?.[0]?`rank ${o.causers[0].process}`:""},{title:"\
waiting in",wide:!0,by:o=>o.waiting.site,cell:o=>r(`${o.waiting.func} @ ${o.waiting.site}`)},{title:"late in",
wide:!0,by:o=>o.late.site,cell:o=>r(`${o.late.func} @ ${o.late.site}`)}]})}if(e==="ranks"){let a=Math.max(1,...t.
processes.map(d=>d.root_ns)),o=d=>Object.values(d.waited_ns).reduce((u,h)=>u+h,0);return O({label:"Ranks by th\
e waiting that goes back to them",rows:t.processes,sort:1,choose:d=>i(d.process),columns:[{title:"rank",number:!0,
by:d=>d.process,cell:d=>d.process},{title:"goes back to it",number:!0,by:d=>d.root_ns,cell:d=>W(d.root_ns/a,x(
d.root_ns),"warm")},{title:"others wait for it",number:!0,by:d=>d.caused_ns,cell:d=>x(d.caused_ns)},{title:"it\
 waits",number:!0,by:o,cell:d=>x(o(d))},{title:"mostly",wide:!0,cell:d=>Object.entries(d.waited_ns).sort((u,h)=>h[1]-
u[1])[0]?.[0]??""}]})}if(e==="steps"){let a=Math.max(1,...t.steps.map(o=>o.time_ns));return O({label:"Waiting \
by time step",rows:t.steps,sort:1,empty:"No time steps were found.",choose:o=>s(o.step),columns:[{title:"step",
number:!0,by:o=>o.step,cell:o=>k(o.step)},{title:"waiting",number:!0,by:o=>o.time_ns,cell:o=>W(o.time_ns/a,x(o.
time_ns),"warm")},{title:"because of",number:!0,by:o=>o.cause_ns,cell:o=>o.cause>=0?x(o.cause_ns):""},{title:"\
mostly because",wide:!0,cell:o=>{let d=t.causes[o.cause];return d?r(`rank ${d.process} comes late to ${d.late.
func} @ ${d.late.site}`):""}}]})}let l=Math.max(1,...t.causes.map(a=>a.time_ns));return O({label:"Causes of wa\
iting",rows:t.causes,choose:a=>i(a.process,a.worst_step),columns:[{title:"waiting",number:!0,by:a=>a.time_ns,cell:a=>W(
a.time_ns/l,x(a.time_ns),"warm")},{title:"waits",number:!0,by:a=>a.waits,cell:a=>k(a.waits)},{title:"late rank",
number:!0,by:a=>a.process,cell:a=>a.process},{title:"worst step",number:!0,by:a=>a.worst_step,cell:a=>a.worst_step>=
0?`${k(a.worst_step)} (${x(a.worst_step_ns)})`:""},{title:"comes late to",wide:!0,by:a=>a.late.site,cell:a=>r(
`${a.late.func} @ ${a.late.site}`)}]})}function pn(t,e,n,s){let i=[n[0]],r=[s[0]],l=t&&e&&t.stride===e.stride?Math.min(t.begin_ns.length,e.begin_ns.length):
0;for(let a=0;a<l;a++){let o=t?.begin_ns[a]??0,d=e?.begin_ns[a]??0;o>(i.at(-1)??0)&&d>(r.at(-1)??0)&&(i.push(o),
r.push(d))}return i.push(Math.max(n[1],(i.at(-1)??0)+1)),r.push(Math.max(s[1],(r.at(-1)??0)+1)),a=>{let o=0,d=i.
length-2;for(;o<d;){let p=o+d+1>>1;(i[p]??0)<=a?o=p:d=p-1}let[u=0,h=1,c=0,f=1]=[i[o],i[o+1],r[o],r[o+1]];return c+
(a-u)/(h-u)*(f-c)}}async function ut(t,e,n,s,i){let r=await j("overview",{rec:1});if(!r.grid||!t.overview.grid)
return;let l=await j("steps",{rec:1}).catch(()=>{}),a=[t.overview.grid.from_ns,t.overview.grid.to_ns],o=[r.grid.
from_ns,r.grid.to_ns],d=new xe({rec:1,overview:r,store:t.store,own:pn(i,l,a,o),shared:pn(l,i,o,a)});d.element.
classList.add("second"),n.append(m("h2",{},`${r.name}: coupled with the first by ${i?.total&&l?.total?"iterati\
on":"time"}`),d.element),s.push(d),l&&d.setSteps(l),cs(t,e,d)}var ls=40;async function cs(t,e,n){let s=await j(
"diff").catch(()=>null);for(let i of s?.differences.slice(0,ls)??[]){let r=Number(/^\d+/.exec(i.ranks)?.[0]??-1);
if(r<0)continue;let l=i.loops?.find(o=>o.step),a=()=>t.store.select({rank:i.ranks,...l?{steps:String(l.iteration),
time:""}:{}},{panel:"compare"});for(let[o,d,u]of[[0,e,i.call_a],[1,n,i.call_b]]){let c=(await j("calls",{rec:o||
void 0,rank:r,thread:i.thread||void 0,from:u,limit:1}).catch(()=>null))?.calls[0]?.start_ns;c!==void 0&&(d.markers.
push({at:c,rank:r,text:i.text,choose:a}),d.draw())}}}function bn(t){let e=m("ul",{class:"hits",id:"hits",role:"listbox","aria-label":"What was found",hidden:!0}),n=m(
"input",{type:"search",placeholder:"search  ( / )","aria-label":"Search functions, call sites, ranks, values",
role:"combobox","aria-controls":"hits","aria-expanded":"false",autocomplete:"off",spellcheck:"false",disabled:q}),
s=[],i=-1,r=new AbortController,l=0;function a(){e.hidden=!0,n.setAttribute("aria-expanded","false"),i=-1}function o(){
[...e.children].forEach((h,c)=>{h.setAttribute("aria-selected",String(c===i)),c===i&&h.scrollIntoView({block:"\
nearest"})}),i>=0?n.setAttribute("aria-activedescendant",`hit${i}`):n.removeAttribute("aria-activedescendant")}
function d(h){a(),n.blur();let c={};for(let[f,p]of Object.entries(h.select??{}))ee.includes(f)&&(c[f]=p);t.store.
select(c),h.rank>=0&&(h.kind==="value"||h.kind==="site")&&t.call(0,h.rank,h.thread,h.call),t.say(`${h.kind} ${h.
text} selected`)}async function u(h){r.abort(),r=new AbortController;let c=r;if(!h)return a();e.hidden=!1,n.setAttribute(
"aria-expanded","true");try{let f=await j("search",{q:h,limit:50},{signal:c.signal,pending:p=>C(e,m("li",{},p.
what+" \u2026"))});if(c.signal.aborted)return;s=f.hits??[],i=s.length?0:-1,C(e,...s.map((p,b)=>m("li",{role:"o\
ption",id:`hit${b}`,pointerdown:g=>{g.preventDefault(),d(p)}},m("span",{class:"kind"},p.kind),m("span",{class:"\
text",title:p.text},p.text),m("span",{},p.calls?k(p.calls):""))),s.length?null:m("li",{},"Nothing is called th\
at."),f.more?m("li",{class:"kind"},"There is more: write more of it."):null),o()}catch(f){c.signal.aborted||C(
e,m("li",{class:"bad"},f instanceof Error?f.message:String(f)))}}return n.addEventListener("input",()=>{clearTimeout(
l),l=setTimeout(()=>{u(n.value.trim())},120)}),n.addEventListener("blur",a),n.addEventListener("keydown",h=>{let c=s.
length;if(h.key==="ArrowDown"&&c)i=(i+1)%c;else if(h.key==="ArrowUp"&&c)i=(i+c-1)%c;else if(h.key==="Enter"&&s[i])
d(s[i]);else if(h.key==="Escape")a(),n.blur();else return;h.preventDefault(),o()}),{element:m("div",{class:"se\
arch"},n,e),focus:()=>{n.focus(),n.select()}}}var ne=54,re=78,Ve=class{constructor(e){this.store=e;this.element=m("div",{class:"strip"},this.canvas,this.tip),
new ResizeObserver(()=>this.draw()).observe(this.element),addEventListener("themechange",()=>this.draw()),e.listen(
(s,i)=>{s.selection.steps!==i.selection.steps&&this.draw()});let n=this.canvas;n.addEventListener("pointerdown",
s=>{n.setPointerCapture(s.pointerId),this.drag={x:s.offsetX,x1:s.offsetX}}),n.addEventListener("pointermove",s=>{
this.drag?(this.drag.x1=s.offsetX,this.draw()):this.point(s.offsetX)}),n.addEventListener("pointerleave",()=>this.
tip.hidden=!0),n.addEventListener("pointerup",()=>{let s=this.drag;this.drag=void 0;let i=this.steps;if(!s||!i?.
begin_ns.length)return;let[r,l]=[this.at(Math.min(s.x,s.x1)),this.at(Math.max(s.x,s.x1))],a=Math.min(i.total-1,
(l+1)*i.stride-1),o=r*i.stride;e.select({steps:o===a?String(o):`${o}-${a}`,time:""})})}store;element;canvas=m(
"canvas",{tabindex:0,role:"img"});tip=m("div",{class:"tip",hidden:!0});steps;width=0;waiting=!1;drag;show(e){this.
steps=e;let n=e.slow?.length??0;this.canvas.setAttribute("aria-label",`Durations of ${H(e.total,"time step")},\
 median ${x(e.median_ns)}, ${H(n,"step")} unusually long. The table Steps has the same as text.`),this.draw()}none(e){
C(this.element,m("p",{class:"empty"},e))}at(e){let n=this.steps?.begin_ns.length??1;return Math.max(0,Math.min(
n-1,Math.floor((e-re)/(this.width-re)*n)))}draw(){this.waiting||(this.waiting=!0,requestAnimationFrame(()=>{this.
waiting=!1,this.paint()}))}paint(){let e=this.steps;if(this.width=this.element.clientWidth,!e||!this.width)return;
let n=devicePixelRatio||1;this.canvas.width=this.width*n,this.canvas.height=ne*n,this.canvas.style.width=this.
width+"px",this.canvas.style.height=ne+"px";let s=this.canvas.getContext("2d");if(!s)return;s.setTransform(n,0,
0,n,0,0),s.fillStyle=S("paper"),s.fillRect(0,0,this.width,ne);let i=e.length_ns.length;if(!i)return;let r=[...e.
length_ns].sort((c,f)=>c-f),l=Math.min(r[i-1]??1,Math.max((r[Math.floor(i*.99)]??1)*1.5,e.median_ns*4)),a=new Set(
(e.slow??[]).map(c=>Math.floor(c.step/e.stride))),o=pe(this.store.now.selection.steps,e.total),d=this.width-re,
u=c=>ne-2-Math.min(1,c/l)*(ne-8),h=d/i;for(let c=0;c<i;c++){let f=re+c*h,p=e.length_ns[c]??0,b=o&&(c*e.stride+
e.stride-1<o[0]||c*e.stride>o[1]);s.globalAlpha=b?.35:1,s.fillStyle=a.has(c)?S("bad"):S("step");let g=Math.max(
h-(h>4?1:0),a.has(c)?2:.6);if(s.fillRect(f,u(p),g,ne-u(p)),h>2){s.fillStyle=S("stepwork");let M=u(e.computation_ns[c]??
0);s.fillRect(f,M,g,ne-M)}p>l&&(s.fillStyle=S("paper"),s.fillRect(f,10,g,2))}s.globalAlpha=1,s.strokeStyle=S("\
accent"),s.setLineDash([3,3]),s.beginPath(),s.moveTo(re,u(e.median_ns)+.5),s.lineTo(this.width,u(e.median_ns)+
.5),s.stroke(),s.setLineDash([]),s.fillStyle=S("faint"),s.font="11px system-ui, DejaVu Sans, sans-serif",s.textAlign=
"right",s.fillText(x(l),re-6,14),s.fillText("steps",re-6,ne-6),Math.abs(u(e.median_ns)-14)>14&&Math.abs(u(e.median_ns)-
ne+6)>14&&s.fillText("median",re-6,u(e.median_ns)+4),this.drag&&(s.fillStyle=S("select"),s.fillRect(Math.min(this.
drag.x,this.drag.x1),0,Math.abs(this.drag.x1-this.drag.x),ne))}point(e){let n=this.steps;if(!n?.begin_ns.length||
e<re){this.tip.hidden=!0;return}let s=this.at(e),i=(n.slow??[]).find(l=>Math.floor(l.step/n.stride)===s),r=s*n.
stride;C(this.tip,m("b",{},n.stride>1?`steps ${r}-${Math.min(n.total,r+n.stride)-1}`:`step ${r}`),m("div",{},`${x(
n.length_ns[s]??0)}, computation ${x(n.computation_ns[s]??0)}`),m("div",{},`median of all ${x(n.median_ns)}`),
i&&m("div",{class:"bad"},`${x(i.excess_ns)} too long: ${i.cause}${i.process>=0?`, rank ${i.process}`:""}`)),this.
tip.hidden=!1,this.tip.style.left=Math.min(e+12,this.width-this.tip.offsetWidth-4)+"px",this.tip.style.top="4p\
x"}};var $=new Re;async function ds(){let t;try{t=await j("overview")}catch(e){document.body.replaceChildren(m("p",
{class:"fatal",role:"alert"},le(e)));return}document.title=se(t.name)+" - tabard",us(t)}function us(t){let e=m(
"span",{class:"status",role:"status"}),n=h=>C(e,h),s,i=[],r=()=>i[0],l=[t.grid?.from_ns??0,t.grid?.to_ns??1],a={
store:$,overview:t,say:n,steps:()=>s,look:(h,c)=>{let f=r();f&&f.look(h,c,f.view[2],f.view[3],!1)},call:(h,c,f,p)=>$.
set({call:[h,c,f,p],panel:"call"}),window:()=>fe($.now.selection.time,...l)??l},o=bn(a),d=[un,fn,It,tn,Zt,Vt,qt,
Kt,en,sn,on,rn,nn,an];t.recordings>1&&d.push(ln);let u=m("div",{class:"maps"});if(t.grid&&t.timed){let h=new Ve(
$),c=new xe({rec:0,overview:t,store:$});i.push(c),u.append(m("div",{class:"bar-of-map"},gn("colour ",Lt,"color",
f=>$.set({color:f})),gn("rows ",ms(t.grid.orders),"order",f=>$.set({order:f,view:void 0})),Et($,c)),h.element,
c.element),j("steps").then(f=>{if(s=f,!f.total)return h.none("No time steps were found in this run (see tabard\
 loops).");h.show(f),c.setSteps(f),t.recordings>1&&ut(a,c,u,i,f)},f=>{h.none(le(f)),t.recordings>1&&ut(a,c,u,i,
void 0)})}else u.append(m("p",{class:"empty"},"This recording has no times of calls, so that there is no map. \
The tables below are complete."));document.body.replaceChildren(m("div",{},m("a",{href:"#panel",class:"skip",click:h=>{
h.preventDefault(),document.getElementById("panel")?.focus()}},"skip to the tables"),hs(t,o.element,a,d),xt(a),
ps(n),Mt(t)),m("main",{},u,_t(a)),gs(),bs(d,a),m("footer",{},e,m("span",{},t.version)));for(let h of document.
querySelectorAll(".panel"))h.id="panel";vs(a,o.focus,i,d,l),addEventListener("jump",h=>{Xe(h.detail,a,l)}),Object.
assign(window,{tabard:{frames:()=>i.flatMap(h=>h.frames),first:()=>i[0]?.firstPicture??NaN,calls:()=>i[0]?.callsDrawn()??
[],bands:()=>i[0]?.bandsDrawn()??[],near:h=>i[0]?.near(h)}})}function ms(t){let e={rank:"ranks",class:"ranks b\
y class",host:"ranks by host"},n=t.map(s=>[s,e[s]??s]);return q?n:[...n,["classes","classes"]]}function gn(t,e,n,s){
let i=V(t,e,$.now[n],s);return $.listen(r=>{let l=i.querySelector("select");l&&(l.value=r[n])}),i}function hs(t,e,n,s){
let i=(r,l,a)=>m("button",{type:"button",title:l,"aria-label":l,click:a},r);return m("header",{},m("h1",{title:t.
name},t.name),m("span",{class:"what",title:`${t.command.join(" ")}
${t.mpi}`},`${t.command.join(" ")} \u2014 ${H(t.hosts,"host")}, ${t.created.slice(0,16).replace("T"," ")}`),e,
i("\u21B6","Undo (U)",()=>$.undo()),i("\u21B7","Redo (Shift+U)",()=>$.redo()),i("copy as command","Copy as com\
mand (C)",()=>{yn(n,s)}),i("export","Export the selection (E)",()=>vn(n,s)),i("\u25D0","Dark or light (T)",wn),
i("?","Help (?)",Ye))}function wn(){let t=document.documentElement.dataset.theme??(matchMedia("(prefers-color-\
scheme: dark)").matches?"dark":"light");document.documentElement.dataset.theme=t==="dark"?"light":"dark",dispatchEvent(
new Event("themechange"))}var mt={rank:"ranks",function:"functions",comm:"communicator",time:"time",in:"region",
steps:"steps",step_loop:"step loop"},fs={rank:"0,4-7",function:"p2p,MPI_Allreduce",comm:"0",time:"10%..30%",in:"\
solve",steps:"10-19",step_loop:"100"};function ps(t){let e=new Map,n=m("section",{class:"selection","aria-labe\
l":"Selection"}),s=m("button",{type:"button",title:"Select everything (Esc)",click:()=>$.set({selection:{}})},
"clear");for(let r of ee){if(r==="step_loop")continue;let l=m("input",{placeholder:"all",title:`${mt[r]}, e.g.\
 ${fs[r]}`,"aria-label":mt[r],spellcheck:"false",autocomplete:"off"});l.addEventListener("change",()=>$.select(
{[r]:l.value.trim()})),l.addEventListener("keydown",a=>{a.key==="Escape"&&l.blur()}),e.set(r,l),n.append(m("la\
bel",{class:r},mt[r],l))}n.append(s);let i=()=>{for(let[r,l]of e)l.value=$.now.selection[r]??"",l.classList.toggle(
"set",!!$.now.selection[r]);s.disabled=!Object.keys($.now.selection).length};return $.listen((r,l)=>{i(),r.selection!==
l.selection&&t(Object.keys(r.selection).length?"selected: "+Qe(r.selection):"everything is selected")}),i(),n}
function bs(t,e){let n=m("div",{role:"tablist","aria-label":"Panels"}),s=m("div",{class:"panel",role:"tabpanel",
tabindex:-1}),i="",r=()=>t.find(d=>d.id===$.now.panel)??t[0],l=d=>$.set({panel:d.id,detail:""}),a=t.map(d=>m("\
button",{type:"button",role:"tab",id:"tab-"+d.id,click:()=>l(d)},d.title));n.append(...a),n.addEventListener("\
keydown",d=>{let u=t.indexOf(r()),h={ArrowRight:u+1,ArrowLeft:u-1,Home:0,End:t.length-1}[d.key],c=h===void 0?void 0:
t[(h+t.length)%t.length];c&&(d.preventDefault(),d.stopPropagation(),l(c),a[t.indexOf(c)]?.focus())});let o=()=>{
let d=r();t.forEach((c,f)=>{a[f]?.setAttribute("aria-selected",String(c===d)),a[f]?.setAttribute("tabindex",c===
d?"0":"-1")}),s.setAttribute("aria-labelledby","tab-"+d.id);let u=d.id+d.key($.now);if(u===i)return;let h=s.contains(
document.activeElement);i=u,d.show(e,s),h&&s.focus()};return $.listen(o),addEventListener("themechange",()=>{i=
"",o()}),o(),m("section",{class:"bottom","aria-label":"Panels"},n,s)}function gs(){let t=m("button",{type:"but\
ton",class:"grip","aria-label":"Move the border between map and tables: up and down keys"}),e=n=>document.body.
style.setProperty("--bottom",Math.max(80,Math.min(innerHeight-330,n))+"px");return t.addEventListener("pointer\
down",n=>t.setPointerCapture(n.pointerId)),t.addEventListener("pointermove",n=>{t.hasPointerCapture(n.pointerId)&&
e(innerHeight-n.clientY-22)}),t.addEventListener("keydown",n=>{let s={ArrowUp:30,ArrowDown:-30}[n.key];s&&(n.stopPropagation(),
n.preventDefault(),e((document.querySelector(".bottom")?.clientHeight??264)+s))}),t}function ws(t,e){let n=e.find(
l=>l.id===$.now.panel)??e[0];if(!n.command)return;let[s="report",...i]=n.command($.now),r=!["info","dump"].includes(
s);return["tabard",s,ve(t.overview.name),...i.map(ve),r?Qe($.now.selection):""].filter(Boolean).join(" ")}async function yn(t,e){
let n=ws(t,e);if(!n)return t.say("No command prints this panel: E saves it as text.");Ee("The tabard line that\
 prints the same",n,t.say)}function vn(t,e){let n=t.overview.name.replace(/\.tabard$/,""),s=e.find(i=>i.id===$.
now.panel)??e[0];wt([{text:`save what \u201C${s.title}\u201D shows as text (.csv)`,run:()=>Ge(`${n}-${s.id}.cs\
v`,new Blob([ys()],{type:"text/csv"}))},{text:"save the picture of the map (.png)",run:()=>document.querySelector(
".map canvas")?.toBlob(i=>i&&Ge(`${n}.png`,i))},{text:"copy the link to this view",run:()=>Ee("The link to thi\
s view",$.link,t.say)},{text:"copy the line that writes the selection in the format of another tool",run:()=>Ee(
"Export",["tabard export",ve(t.overview.name),...["rank","time","steps"].filter(i=>$.now.selection[i]).map(i=>`\
--${i} ${ve($.now.selection[i]??"")}`)].join(" "),t.say)}])}function ys(){let t=e=>{let n=(e.textContent??"").
trim(),s=/^[=+@\t\r-]/.test(n)&&!/^[-+]?[\d.]/.test(n)?"'"+n:n;return/[",\n]/.test(s)?'"'+s.replaceAll('"','""')+
'"':s};return[...document.querySelectorAll(".panel table")].map(e=>[...e.querySelectorAll("tr:not([aria-hidden\
])")].map(n=>[...n.children].map(t).join(",")).join(`
`)).join(`

`)+`
`}async function Xe(t,e,n){let s=e.steps();if(!s?.total)return e.say("No time steps were found in this run.");
t=Math.max(0,Math.min(s.total-1,t));let i=s.begin_ns[Math.floor(t/s.stride)]??n[0],r=i+(s.length_ns[Math.floor(
t/s.stride)]??0);if(!q)try{let o=await j("step",{k:t});[i,r]=[o.begin_ns,o.end_ns]}catch{}let l=$.now.view,a=Math.
max(1,r-i)*.04;$.select({steps:String(t),time:""},{view:[i-a,r+a,l?.[2]??0,l?.[3]??e.overview.grid?.lines??1]})}
function ht(t,e){let n=t.steps();if(!n)return 0;let s=pe($.now.selection.steps,n.total);if(s)return s[0];let i=$.
now.view,r=i?(i[0]+i[1])/2:e[0],l=-1;for(let a of n.begin_ns){if(a>r)break;l++}return l*n.stride}function vs(t,e,n,s,i){
let r=()=>{let o=[...t.steps()?.slow??[]].map(u=>u.step).sort((u,h)=>u-h);if(!o.length)return t.say("No time s\
tep takes unusually long.");let d=$.now.selection.steps?ht(t,i):-1;Xe(o.find(u=>u>d)??o[0]??0,t,i)},l=n[0],a={
w:()=>l?.zoom(.7),s:()=>l?.zoom(1/.7),a:()=>l?.pan(-.2),d:()=>l?.pan(.2),ArrowLeft:()=>l?.pan(-.2),ArrowRight:()=>l?.
pan(.2),ArrowUp:()=>l?.scroll(-.2),ArrowDown:()=>l?.scroll(.2),"+":()=>l?.zoomLines(.5),"=":()=>l?.zoomLines(.5),
"-":()=>l?.zoomLines(2),0:()=>$.set({view:void 0}),f:()=>l?.fit(),"[":()=>{Xe(ht(t,i)-1,t,i)},"]":()=>{Xe(ht(t,
i)+1,t,i)},o:r,"/":e,"?":Ye,x:()=>l?.unfold(),u:()=>$.undo(),U:()=>$.redo(),t:wn,Escape:()=>$.set({selection:{}}),
m:()=>{for(let o of n)o.messages=!o.messages,o.draw();t.say(l?.messages?"messages are drawn":"messages are not\
 drawn")},c:()=>{yn(t,s)},e:()=>vn(t,s)};s.slice(0,9).forEach((o,d)=>a[String(d+1)]=()=>$.set({panel:o.id,detail:""})),
addEventListener("keydown",o=>{if(o.target.closest("input, textarea, select, dialog"))return;if((o.ctrlKey||o.
metaKey)&&!o.altKey){let h={z:()=>o.shiftKey?$.redo():$.undo(),Z:()=>$.redo(),y:()=>$.redo()}[o.key];return h?
(o.preventDefault(),h()):void 0}if(o.ctrlKey||o.metaKey||o.altKey)return;let u=a[o.key]??(o.key.length===1?a[o.
key.toLowerCase()]:void 0);u&&(o.preventDefault(),u())}),addEventListener("themechange",()=>n.forEach(o=>o.draw()))}
ds();})();
