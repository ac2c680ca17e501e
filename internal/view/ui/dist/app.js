"use strict";(()=>{var B=class extends Error{constructor(n,s){super(s);this.status=n}status},de=(()=>{let t=document.getElementById(
"tabard-data");return t?JSON.parse(t.textContent??"{}").answers:null})(),G=de!==null;function be(t,e={}){let n=Object.
keys(e).sort().filter(s=>e[s]!==void 0&&e[s]!=="").map(s=>`${encodeURIComponent(s)}=${encodeURIComponent(String(
e[s]))}`);return"/api/"+t+(n.length?"?"+n.join("&"):"")}var te=new Map,zt=200;function Kt(t,e){let n=te.get(t);
if(n)return te.delete(t),te.set(t,n),n;let s=e();te.set(t,s),s.catch(()=>te.delete(t));for(let i of te.keys()){
if(te.size<=zt)break;te.delete(i)}return s}function Ie(){return new B(404,"This is not in this file: open the \
recording itself with tabard view.")}async function Ue(t,e){for(;;){let n;try{n=await fetch(t,{signal:e.signal??
null,credentials:"same-origin"})}catch(s){throw e.signal?.aborted?s:new B(0,"The server does not answer: has t\
abard view ended? Start it again, and reload this page.")}if(n.status!==202)return n;if(e.pending?.(await n.json()),
await new Promise(s=>setTimeout(s,300)),e.signal?.aborted)throw new DOMException("aborted","AbortError")}}async function Fe(t){
if(t.status===401||t.status===403)return new B(t.status,"This page may not ask the server: open the address th\
at tabard view printed.");try{return new B(t.status,(await t.json()).error)}catch{return new B(t.status,`The s\
erver answered with status ${t.status}.`)}}function R(t,e={},n={}){let s=be(t,e);return de?s in de?Promise.resolve(
de[s]):Promise.reject(Ie()):Kt(s,async()=>{let i=await Ue(s,n);if(!i.ok)throw await Fe(i);return await i.json()})}
async function Be(t,e,n={}){let s=be(t,e);if(de){let o=de[s];if(typeof o!="string")throw Ie();return Uint8Array.
from(atob(o),l=>l.charCodeAt(0)).buffer}let i=await Ue(s,n);if(!i.ok)throw await Fe(i);return i.arrayBuffer()}var It=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;function ne(t){return t.replace(It,e=>{let n=e.codePointAt(0)??
0;return n===10?"\\n":n===9?"\\t":n<256?"\\x"+n.toString(16).padStart(2,"0"):n<65536?"\\u"+n.toString(16).padStart(
4,"0"):"\\U"+n.toString(16).padStart(8,"0")})}function m(t,e={},...n){let s=document.createElement(t);return We(
s,e),S(s,...n),s}function me(t,e={},...n){let s=document.createElementNS("http://www.w3.org/2000/svg",t);return We(
s,e),S(s,...n),s}function We(t,e){for(let[n,s]of Object.entries(e))typeof s=="function"?t.addEventListener(n,s):
typeof s=="string"?t.setAttribute(n,ne(s)):typeof s=="number"?t.setAttribute(n,String(s)):s===!0&&t.setAttribute(
n,"")}function S(t,...e){t.replaceChildren(...e.filter(n=>n!=null&&n!==!1).map(n=>n instanceof Node?n:ne(String(
n))))}function Ce(t,...e){let n=m("dialog",{"aria-label":t},m("h2",{},t),...e,m("div",{class:"controls"},m("form",{method:"\
dialog"},m("button",{},"close"))));n.addEventListener("close",()=>n.remove()),document.body.append(n),n.showModal()}
var Ut=[["W S","zoom in and out in time"],["A D","move in time"],["\u2190 \u2192","move in time"],["\u2191 \u2193",
"move over ranks"],["+ \u2212","fewer, more ranks"],["0","the whole run"],["F","look at the selection"],["[ ]",
"previous, next iteration"],["O","next outlier iteration"],["/","search"],["U, Ctrl+Z","undo (also: back)"],["\
Shift+U, Ctrl+Y","redo"],["Esc","select everything again"],["M","messages on, off"],["C","copy as command"],["\
E","export"],["T","dark, light"],["1 \u2026 9","the panels"],["wheel","zoom in time; Shift: move; Alt: ranks"],
["drag","select time and ranks; Shift: move"],["click","select a rank, or show a call; Ctrl: more ranks"],["do\
uble click","look at the selection"]];function Le(){Ce("Keys and mouse",m("div",{class:"keys"},...Ut.flatMap(([
t,e])=>[m("kbd",{},t),m("span",{},e)])),m("p",{},"All panels show what is selected: ranks, functions, communic\
ators, time and steps, in the words of the command line. Tables: arrow keys, Page Up and Down, Home, End, and \
Enter to choose; Tab goes to the next part of the page."))}function ge(t,e,n){let s=m("textarea",{readonly:!0,
rows:Math.min(8,Math.ceil(e.length/80)+1),cols:84,"aria-label":t});s.value=e,navigator.clipboard?.writeText(e).
then(()=>n("copied: "+e),()=>{}),Ce(t,s),s.focus(),s.select()}function qe(t){Ce("Take along",...t.map(e=>m("p",
{},m("button",{type:"button",click:()=>e.run()},e.text))))}function Ee(t,e){let n=URL.createObjectURL(e);m("a",
{href:n,download:t}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4)}function pe(t,e){if(t===0)return"0";let n=Number(t.toExponential(e-1).split("e")[1]);return n<-6||n>15?t.toPrecision(
e):t.toFixed(Math.max(0,e-1-n))}function k(t){let e=Math.abs(t);if(e<999.5)return(Number.isInteger(t)?String(t):
pe(t,3))+" ns";if(e<999500)return pe(t/1e3,3)+" us";if(e<9995e5)return pe(t/1e6,3)+" ms";if(e<11995e7)return pe(
t/1e9,3)+" s";if(e<72e11){let s=Math.round(t/1e9);return`${Math.trunc(s/60)} min ${Math.abs(s%60)} s`}let n=Math.
round(t/6e10);return`${Math.trunc(n/60)} h ${Math.abs(n%60)} min`}function H(t){if(Math.abs(t)<1024)return(Number.
isInteger(t)?String(t):pe(t,3))+" B";let e=0;for(t/=1024;Math.abs(t)>=1023.95&&e<5;e++)t/=1024;return`${t.toFixed(
1)} ${"KMGTPE"[e]}iB`}function x(t){return String(Math.round(t)).replace(/\B(?=(\d{3})+$)/g,",")}function D(t){
let e=100*t;return Number.isNaN(e)?"-":e>0&&e<.05?"<0.1%":e.toFixed(1)+"%"}function z(t,e){return t===1?"1 "+e:
x(t)+" "+e+(/(s|ch)$/.test(e)?"es":"s")}function Re(t,e){let n=Math.min(9,Math.max(0,2-Math.floor(Math.log10(Math.max(e,1)/1e9))));return(t/1e9).toFixed(
n)+" s"}function O(t,e=[]){let n={};for(let[s,i]of Object.entries(t.selection))e.includes(s)||(n[s]=i);return n}function W(t){
return JSON.stringify(t.selection)}function se(t){return t instanceof B?t.message:`This page failed: ${t instanceof
Error?t.message:String(t)}`}function Ft(t){return t instanceof B&&(t.status===409||t.status===404)}var Xe=new WeakMap;
async function L(t,e){Xe.get(t)?.abort();let n=new AbortController;Xe.set(t,n),t.setAttribute("aria-busy","tru\
e");let s=setTimeout(()=>{n.signal.aborted||S(t,m("p",{class:"pending"},"\u2026"))},150),i=o=>{if(n.signal.aborted)
return;clearTimeout(s);let l=o.total>0?`: ${x(o.done)} of ${x(o.total)}`:o.done>0?`: ${x(o.done)}`:"";S(t,m("p",
{class:"pending",role:"status"},o.what+l+" \u2026"))};try{let o=await e(n.signal,i);n.signal.aborted||S(t,...o)}catch(o){
n.signal.aborted||S(t,m("p",{class:Ft(o)?"empty":"failed",role:"status"},se(o)))}clearTimeout(s),n.signal.aborted||
t.removeAttribute("aria-busy")}function T(t,e,n,s){return R(t,e,{signal:n,pending:s})}function Bt(t){let e=(t.
file??"").replace(/^.*\//,"");return t.line?`${e}:${t.line}`+(t.func?` [${t.func}]`:""):t.code?t.code:t.offset!==
void 0?`${e||t.func||"?"}+0x${t.offset.toString(16)}`:t.func??e}function Z(t){return(t??[]).map(Bt).join(" < ")}
function I(t,e,n,s){let i=m("select",{change:o=>s(o.target.value)},...e.map(([o,l])=>m("option",{value:o,selected:o===
n},l)));return m("label",{},t,i)}var q=["rank","function","comm","time","in","steps","step_loop"],Wt={rank:"--rank",function:"--function",comm:"\
--comm",time:"--time",in:"--in",steps:"--steps",step_loop:"--step-loop"},re={selection:{},panel:"sites",color:"\
activity",order:"rank",detail:""};function Je(t){let e=new URLSearchParams;for(let n of q)t.selection[n]&&e.set(
n,t.selection[n]);return t.view&&e.set("view",t.view.map(n=>String(Math.round(n))).join("_")),t.panel!==re.panel&&
e.set("panel",t.panel),t.color!==re.color&&e.set("color",t.color),t.order!==re.order&&e.set("order",t.order),t.
call&&e.set("call",t.call.join(".")),t.detail&&e.set("detail",t.detail),e.toString()}function Ye(t,e){let n=(t??
"").split(e).map(Number);if(!(n.length!==4||n.some(s=>!Number.isFinite(s))))return n}function Ve(t){let e=new URLSearchParams(
t.replace(/^#/,"")),n={...re,selection:{}};for(let s of q){let i=e.get(s);i&&(n.selection[s]=i)}return n.view=
Ye(e.get("view"),"_"),n.view&&(n.view[1]<=n.view[0]||n.view[3]<1)&&(n.view=void 0),n.call=Ye(e.get("call"),"."),
n.panel=e.get("panel")??re.panel,n.color=e.get("color")??re.color,n.order=e.get("order")??re.order,n.detail=e.
get("detail")??"",n}var we=class{state=Ve(location.hash);listeners=[];place=0;last=0;moved=0;constructor(){history.
replaceState({place:0},""),addEventListener("popstate",e=>{let n=e.state?.place;n===void 0?history.replaceState(
{place:++this.place},""):this.place=n,this.last=Math.max(this.last,this.place),this.moved=0,this.enter(Ve(location.
hash))})}get now(){return this.state}listen(e){this.listeners.push(e)}set(e,n=!1){let s={...this.state,...e},i="\
#"+Je(s);if(i==="#"+Je(this.state))return;let o=n&&performance.now()-this.moved<800;this.moved=n?performance.now():
0,o?history.replaceState({place:this.place},"",i):(this.last=++this.place,history.pushState({place:this.place},
"",i)),this.enter(s)}select(e,n={}){let s={...this.state.selection,...e};for(let i of q)s[i]||delete s[i];this.
set({...n,selection:s})}undo(){this.place>0&&history.back()}redo(){this.place<this.last&&history.forward()}enter(e){
let n=this.state;this.state=e;for(let s of this.listeners)s(e,n)}};function ue(t){return/^[\w@%+=:,./-]+$/.test(
t)?t:"'"+t.replaceAll("'","'\\''")+"'"}function Ae(t){return q.filter(e=>t[e]).map(e=>`${Wt[e]} ${ue(t[e]??"")}`).
join(" ")}function ye(t){let e=[...new Set(t)].sort((s,i)=>s-i),n=[];for(let s=0;s<e.length;){let i=s;for(;i+1<
e.length&&e[i+1]===(e[i]??0)+1;)i++;n.push(s===i?String(e[s]):`${e[s]}-${e[i]}`),s=i+1}return n.join(",")}function ve(t,e){
return t?t.split(",").some(n=>{let[s,i]=n.split("-").map(Number);return s!==void 0&&e>=s&&e<=(i??s)}):!0}function ie(t,e,n){return m("div",{class:"figure",title:n},m("dt",{},t),m("dd",{},e))}function Ze(t){let e=m("\
section",{class:"verdict","aria-label":"Verdict"}),n="",s=()=>{let i=JSON.stringify(t.store.now.selection);if(i===
n)return;n=i;let o=t.overview;L(e,async(l,a)=>{let r;try{r=await T("report",O(t.store.now),l,a)}catch(f){return[
m("dl",{},...Ge(o)),m("div",{class:"sentence"},se(f))]}let d=r.efficiency,u=(r.elapsed_ns??0)*(r.ranks?.length||
r.processes),h=Object.values(r.waits??{}).reduce((f,b)=>f+b.time_ns,0),c=(r.groups??[]).reduce((f,b)=>f+b.time_ns,
0);return[m("dl",{},r.elapsed_ns!==void 0&&ie("time",k(r.elapsed_ns),"from the first call after MPI_Init to th\
e last before MPI_Finalize"),d&&ie("parallel efficiency",D(d.parallel),"the part of the time of all ranks that\
 is computation: load balance x communication efficiency"),d&&ie("load balance",D(d.load_balance),"mean comput\
ation of the ranks, by the greatest"),d&&ie("communication eff.",D(d.communication),"the greatest computation \
of a rank, by the time of the run"),c>0&&u>0&&ie("in calls",D(c/u),"of the time of all ranks"),r.waits&&u>0&&ie(
"waiting for others",D(h/u),"of the time of all ranks: in calls that could not go on since another rank came l\
ate"),...Ge(o))]})};return t.store.listen(s),s(),e}function Ge(t){return[ie("ranks",x(t.processes)+(t.threads>
t.processes?` (${z(t.threads,"thread")})`:""),z(t.hosts,"host")),ie("calls",x(t.calls),"in the whole recording")]}
function Qe(t){let e=t.banner,n=[];return t.timed||n.push("No times of calls were recorded: there is no map. R\
ecord with --timing=lossy."),e.time_error_ns>0&&n.push(`times are within ${k(e.time_error_ns)}`),e.clock_residual_ns>
0&&n.push(`clocks of hosts agree within ${k(e.clock_residual_ns)}`),e.unmeasured_clocks>0&&n.push(`the clocks \
of ${z(e.unmeasured_clocks,"host")} are not corrected`),e.unfinished_calls>0&&n.push(`${z(e.unfinished_calls,"\
call")} did not return`),e.lost_calls>0&&n.push(`${z(e.lost_calls,"call")} were lost`),e.snapshot&&n.push(`the\
 job was still running when this was taken (${e.snapshot})`),e.incomplete&&n.push(e.incomplete),m("section",{class:"\
banner","aria-label":"What limits these numbers"},...n.map(s=>m("span",{},s)))}function qt(t){let e={},n="";for(let i=1;i<
t.length;i++){let[o="",l]=(t[i]??"").split(/=(.*)/s),a=o.replace(/^--/,"").replaceAll("-","_"),r=l??t[i+1]??"";
if(q.includes(a))e[a]=r;else if(a==="cause")n="causes,cause:"+r,e.rank=r;else if(a==="kind")n="places,kind:"+r;else
continue;l===void 0&&i++}let s={waits:"waits",messages:"messages",matrix:"matrix",loops:"loops",outliers:"outl\
iers",histogram:"histogram",profile:"sites",report:"sites",timeline:"sites"}[t[0]??""]??"sites";return{selection:e,
panel:s,detail:n}}function et(t){let e=m("ol",{class:"findings"}),n=m("h2",{},"Findings"),s="",i=l=>{let a=qt(
l.command??[]),r=a.selection;l.step>=0&&!r.steps&&(r.steps=String(l.step)),l.process>=0&&!r.rank&&(r.rank=String(
l.process)),!Object.keys(r).length&&l.func&&(r.function=l.func),t.store.set({selection:r,panel:a.panel,detail:a.
detail}),r.steps&&l.step>=0&&dispatchEvent(new CustomEvent("jump",{detail:l.step})),t.say("selected: "+l.text)};
return s||(s="all",L(e,async(l,a)=>{let r=await T("report",{},l,a);return S(n,`Findings (${r.findings.length})`),
r.findings.length?r.findings.map(d=>m("li",{},m("button",{type:"button",title:d.text,click:()=>i(d)},m("span",
{class:"cost"},d.cost_ns>0?`${k(d.cost_ns)}, ${D(d.share)}`:""),m("span",{class:"kind"},d.kind),m("span",{class:"\
text short"},d.text)))):[m("li",{class:"empty"},"Nothing stands out: no finding concerns 1% of the time.")]})),
m("aside",{"aria-label":"Findings"},n,e)}var ke=[4456788,4728952,4082057,3238030,2523790,2072201,3520377,7261784,11918891,16639781],F=[{key:"computatio\
n",name:"computation",light:14278114,dark:3752525},{key:"point_to_point",name:"point to point",light:29362,dark:29362},
{key:"wait",name:"wait",light:13983232,dark:13983232},{key:"collective",name:"collective",light:15113984,dark:15113984},
{key:"rma",name:"one-sided",light:13400487,dark:13400487},{key:"io",name:"files",light:40563,dark:40563},{key:"\
other_mpi",name:"other MPI",light:5682409,dark:5682409},{key:"lifecycle",name:"init and finalize",light:11782108,
dark:5071224},{key:"unselected",name:"not chosen",light:9081758,dark:9081758}];function xe(t){return[t>>16,t>>
8&255,t&255]}function oe(t){return"#"+t.toString(16).padStart(6,"0")}var K=(()=>{let t=new Uint8Array(768);for(let e=0;e<
256;e++){let n=e/255*(ke.length-1),s=Math.min(Math.trunc(n),ke.length-2),i=xe(ke[s]??0),o=xe(ke[s+1]??0);for(let l=0;l<
3;l++)t[3*e+l]=Math.round((i[l]??0)*(1-(n-s))+(o[l]??0)*(n-s))}return t})();function X(){let t=document.documentElement.
dataset.theme;return t?t==="dark":matchMedia("(prefers-color-scheme: dark)").matches}function J(t){let e=F[t]??
F[0];return X()?e.dark:e.light}function C(t){return getComputedStyle(document.documentElement).getPropertyValue(
"--"+t).trim()}var tt=[["activity","activity"],["mpi","share in calls"],...F.slice(0,8).map(t=>[t.key,"share of "+t.name])];function nt(t,e){
let n=m("div",{class:"legend",role:"list","aria-label":"Legend"}),s=()=>{if(t.now.color==="activity"){S(n,...F.
map((a,r)=>{if(!e.seen.has(a.key))return null;let d=m("span",{class:"swatch","aria-hidden":"true"});return d.style.
background=oe(J(r)),m("span",{class:"key",role:"listitem"},d,a.name)}));return}let i=m("canvas",{class:"ramp",
width:256,height:1,"aria-hidden":"true"}),o=i.getContext("2d"),l=o?.createImageData(256,1);if(o&&l){for(let a=0;a<
256;a++)l.data.set([K[3*a]??0,K[3*a+1]??0,K[3*a+2]??0,255],4*a);o.putImageData(l,0,0)}S(n,m("span",{class:"key"},
"0%",i,"100% of the time"))};return t.listen((i,o)=>{i.color!==o.color&&s()}),e.element.addEventListener("seen",
s),addEventListener("themechange",s),s(),n}var Xt=1500;function st(t,e,n,s,[i,o]){let l=new Set,a=[];for(let u of e)for(let h of u.arrows??[]){let c=`${h.
from}.${h.send}-${h.to}.${h.receive}`;l.has(c)||(l.add(c),!(n(h.end_ns)<i||n(h.begin_ns)>o||!s.has(h.from)&&!s.
has(h.to))&&a.push(h))}if(a.length>Xt)return;let r=C("line"),d=C("bad");for(let u of[!1,!0]){t.strokeStyle=u?d:
r,t.fillStyle=t.strokeStyle,t.lineWidth=u?1.6:1,t.beginPath();for(let h of a){if(h.wait_ns>0!==u)continue;let c=s.
get(h.from)??(s.get(h.to)??0)+(h.from<h.to?-2e3:2e3),f=s.get(h.to)??c+(h.to>h.from?2e3:-2e3),b=n(h.begin_ns),g=n(
h.end_ns);t.moveTo(b,c),t.lineTo(g,f);let p=Math.atan2(f-c,g-b);for(let v of[2.7,-2.7])t.moveTo(g,f),t.lineTo(
g+7*Math.cos(p+v),f+7*Math.sin(p+v));if(u){let v=n(h.end_ns-h.wait_ns);t.moveTo(v,f+4),t.lineTo(g,f+4),t.moveTo(
v,f+1),t.lineTo(v,f+7)}}t.stroke()}}var Jt=4e3,Me=class{constructor(e,n){this.rec=e;this.changed=n}rec;changed;pieces=new Map;arrowPieces=new Map;aligned(e,n){
let s=2**Math.ceil(Math.log2(Math.max(64,n-e)));return{length:s,first:Math.floor(e/s),last:Math.floor(n/s)}}of(e,n,s,i){
let{length:o,first:l,last:a}=this.aligned(n,s),r=[];for(let d=Math.max(0,l);d<=a;d++){let u={...i,rec:this.rec||
void 0,rank:e.rank,thread:e.thread||void 0,world:e.world||void 0,t0:d*o,t1:(d+1)*o,max:Jt},h=JSON.stringify(u),
c=this.pieces.get(h);c?.lane?r.push(c.lane):c||this.ask(h,u)}return r}ask(e,n){let s={};if(this.pieces.set(e,s),
R("lanes",n).then(i=>s.lane=i,()=>s.failed=!0).finally(()=>this.changed()),this.pieces.size>600)for(let i of[...this.
pieces.keys()].slice(0,200))this.pieces.delete(i)}arrows(e,n,s){let{length:i,first:o,last:l}=this.aligned(e,n),
a=[];for(let r=Math.max(0,o);r<=l;r++){let d={...s,rec:this.rec||void 0,t0:r*i,t1:(r+1)*i,max:2e3},u=JSON.stringify(
d),h=this.arrowPieces.get(u);if(h?.arrows&&a.push(h.arrows),h)continue;let c={};if(this.arrowPieces.set(u,c),R(
"arrows",d).then(f=>c.arrows=f,()=>c.failed=!0).finally(()=>this.changed()),this.arrowPieces.size>60)for(let f of[
...this.arrowPieces.keys()].slice(0,20))this.arrowPieces.delete(f)}return a}},Yt=new Map(F.map((t,e)=>[t.key,e]));
function Oe(t,e,n,s,i,o){if(i<24)return;t.fillStyle=o;let l=Math.floor((i-6)/6.1);l<3||(e=ne(e),t.fillText(e.length>
l?e.slice(0,l-1)+"\u2026":e,n+3,s))}function Vt(t){return((t>>16)*299+(t>>8&255)*587+(t&255)*114)/1e3>140}function it(t,e,n,s,i,o,l,a,r){
let d=e.calls??[];if(!d.length&&e.total>0)return!1;let u=e.loops??[],h=s>=26?Math.min(3,u.reduce((w,y)=>Math.max(
w,y.level+1),0)):0,c=s>=26?(e.regions??[]).filter(w=>w.level<1):[],f=h+(c.length?1:0)>0?Math.min(13,Math.floor(
s*.5/(h+(c.length?1:0)))):0,b=n;t.font="10px ui-monospace, DejaVu Sans Mono, monospace",t.textBaseline="middle";
for(let w of c){let y=Math.max(l,i(w.start_ns)),_=Math.min(o,i(w.end_ns))-y;if(_<=0)continue;t.fillStyle=X()?"\
#2f5d50":"#bfe3d6",t.fillRect(y,b,_,f-1);let P=w.times>1?`${w.name||"regions"} (${w.times} times)`:w.name;f>=10&&
Oe(t,P,y,b+f/2,_,X()?"#e8ecf1":"#1f2933"),r.push({x:y,width:_,y:b,height:f,line:e,region:P})}c.length&&(b+=f);
for(let w of u){if(w.level>=h)continue;let y=Math.max(l,i(w.start_ns)),_=Math.min(o,i(w.end_ns))-y;if(_<=0)continue;
let P=b+w.level*f;t.fillStyle=X()?w.iteration%2?"#3d4a63":"#4b5a78":w.iteration%2?"#c9d6ea":"#dbe4f2",t.fillRect(
y,P,Math.max(.6,_-1),f-1);let j=(w.iteration===w.last_iteration?`${w.iteration}`:`${w.iteration}-${w.last_iteration}`)+
(w.step?" step":"")+"  "+w.name;f>=10&&Oe(t,j,y,P+f/2,_,X()?"#e8ecf1":"#1f2933"),r.push({x:y,width:_,y:P,height:f,
line:e,loop:w})}b+=h*f;let g=n+s-b,p=Math.max(l,i(e.from_ns)),v=Math.min(o,i(e.to_ns));if(d.length&&v>p){let w=Math.
max(p,i(d[0]?.start_ns??e.from_ns)),y=Math.min(v,i(d.at(-1)?.end_ns??e.to_ns));t.fillStyle=oe(J(0)),t.fillRect(
w,b,y-w,g)}for(let w of d){let y=Math.max(l,i(w.start_ns)),_=Math.min(o,i(w.end_ns));if(_<l||y>o)continue;let P=Yt.
get(w.category)??6,M=J(P),j=Math.max(.7,_-y),ee=w.nested?g*.3:0;if(t.fillStyle=oe(M),t.fillRect(y,b+ee,j>3?j-.7:
j,g-ee),w.unfinished){t.fillStyle=X()?"#ffffff":"#000000";for(let V=y;V<_;V+=8)t.fillRect(V,b+g-3,4,2)}w.index===
a&&(t.strokeStyle=X()?"#ffffff":"#000000",t.lineWidth=2,t.strokeRect(y-1,b-1,j+2,g+2)),g>=10&&Oe(t,w.func.replace(
/^P?MPIX?_/,""),y,b+g/2,j,Vt(M)?"#111820":"#ffffff"),r.push({x:y,width:j,y:b,height:g,line:e,call:w,site:w.site<
0?void 0:e.sites?.[w.site]})}return!0}var Gt=Float32Array.from({length:256},(t,e)=>Math.pow(e/255,2.2)),Ne=Uint8Array.from({length:4096},(t,e)=>Math.
round(255*Math.pow(e/4095,1/2.2))),ot=256,_e=class{constructor(e,n,s){this.rec=e;this.grid=n;this.changed=s}rec;grid;changed;tiles=new Map;asking=0;queue=[];clock=0;generation=new AbortController;drop(){
this.queue=[]}get busy(){return this.asking>0||this.queue.length>0}params(e,n){return{...n,rec:this.rec||void 0,
level:e.level,x:e.x,first:e.first,group:e.group,rows:e.rows}}tile(e,n,s=!0){let i=this.params(e,n),o=be("tiles",
i),l=this.tiles.get(o);if(l)return l.used=++this.clock,l.head||l.error?l:void 0;s&&!this.queue.some(a=>a.key===
o)&&(this.queue.push({key:o,params:i}),queueMicrotask(()=>this.next()))}next(){for(;this.asking<4;){let e=this.
queue.shift();if(!e)return;this.tiles.has(e.key)||this.fetch(e.key,e.params)}}async fetch(e,n){let s={pixels:new Map,
used:++this.clock};this.tiles.set(e,s),this.asking++;try{let i=await Be("tiles",n,{signal:this.generation.signal}),
o=new DataView(i).getUint32(0,!0);s.head=JSON.parse(new TextDecoder().decode(new Uint8Array(i,4,o))),s.cells=new Uint8Array(
i,4+o),!s.head.exact&&s.head.pending>0&&!G&&setTimeout(()=>{this.tiles.delete(e),this.changed()},700)}catch(i){
s.error=i instanceof Error?i.message:String(i)}this.asking--,this.trim(),this.changed(),this.next()}trim(){if(this.
tiles.size<=ot)return;let e=[...this.tiles].filter(([,n])=>n.head||n.error).sort((n,s)=>n[1].used-s[1].used);for(let[
n]of e.slice(0,this.tiles.size-ot))this.tiles.delete(n)}coarser(e,n){for(let s=1;e.level+s<=this.grid.level;s++){
let i={...e,level:e.level+s,x:Math.floor(e.x/2**s)},o=this.tile(i,n,!1);if(o?.head)return{tile:o,place:i}}}};function rt(t,e){
if(!t.head||!t.cells)return;let n=e+(X()?"/dark":""),s=t.pixels.get(n);if(s)return s;let{bins:i,rows:o}=t.head,
l=t.head.categories.length,a=document.createElement("canvas");a.width=i,a.height=Math.max(1,o.length);let r=a.
getContext("2d");if(!r)return;let d=r.createImageData(i,Math.max(1,o.length)),u=t.head.categories.map(h=>F.findIndex(
c=>c.key===h));return e==="activity"?Zt(t.cells,d.data,l,u.map(h=>xe(J(h)))):Qt(t.cells,d.data,l,t.head.categories.
map(h=>e==="mpi"?h!=="computation":h===e)),r.putImageData(d,0,0),t.pixels.set(n,a),a}function Zt(t,e,n,s){let i=s.
map(o=>o.map(l=>Gt[l]??0));for(let o=0,l=0;l<e.length;o+=n,l+=4){let a=0,r=0,d=0,u=0;for(let h=0;h<n;h++){let c=t[o+
h]??0;if(!c)continue;let f=i[h];f&&(a+=c*(f[0]??0),r+=c*(f[1]??0),d+=c*(f[2]??0),u+=c)}u&&(e[l]=Ne[Math.round(
a/u*4095)]??0,e[l+1]=Ne[Math.round(r/u*4095)]??0,e[l+2]=Ne[Math.round(d/u*4095)]??0,e[l+3]=Math.min(255,u+2))}}
function Qt(t,e,n,s){for(let i=0,o=0;o<e.length;i+=n,o+=4){let l=0,a=0;for(let d=0;d<n;d++){let u=t[i+d]??0;a+=
u,s[d]&&(l+=u)}if(!a)continue;let r=3*Math.min(255,Math.round(255*l/a));e[o]=K[r]??0,e[o+1]=K[r+1]??0,e[o+2]=K[r+
2]??0,e[o+3]=255}}function at(t){return t.first.map(e=>{let n=new URLSearchParams(e.replace(/^.*\?/,"")),s=i=>Number(
n.get(i)??0);return{level:s("level"),x:s("x"),first:s("first"),group:s("group"),rows:s("rows")}})}var en={ns:1,us:1e3,\u00B5s:1e3,ms:1e6,s:1e9,m:6e10,h:36e11};function $e(t,e,n){let s=t.trim();if(s.endsWith("\
%"))return e+(n-e)*Number(s.slice(0,-1))/100;if(s!==""&&Number.isFinite(Number(s)))return Number(s)*1e9;let i=0,
o=s;for(;o;){let l=/^([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/.exec(o);if(!l)return;i+=Number(l[1])*(en[l[2]??""]??NaN),
o=o.slice(l[0].length)}return s?i:void 0}function fe(t,e,n){if(!t)return;if(t.includes("..")){let[l="",a=""]=t.
split(".."),r=l.trim()?$e(l,e,n):e,d=a.trim()?$e(a,e,n):n;return r===void 0||d===void 0?void 0:[r,d]}let s=t.search(
/(?<![eE])\+/);if(s<1)return;let i=$e(t.slice(0,s),e,n),o=$e(t.slice(s+1),0,n-e);return i===void 0||o===void 0?
void 0:[i,i+o]}function ae(t,e){let n=/^\s*(\d*)\s*(-|\.\.)?\s*(\d*)\s*$/.exec(t??"");if(!t||!n)return;let s=n[1]?
Number(n[1]):0;return[s,n[3]?Number(n[3]):n[2]?e-1:s]}function lt(t,e){return`${Math.max(0,Math.floor(t))}ns..${Math.
ceil(e)}ns`}var N=78,E=34,tn=44,le=4096,he=class{constructor(e){this.o=e;this.grid=e.overview.grid,this.own=e.own??(n=>n),
this.shared=e.shared??(n=>n),this.tiles=new _e(e.rec,this.grid,()=>this.draw()),this.lanes=new Me(e.rec,()=>this.
draw()),this.element=m("div",{class:"map"},this.canvas,this.tip,this.note),this.canvas.setAttribute("aria-labe\
l",`Time from left to right, ${z(this.grid.lines,"line")} from top to bottom. The arrow keys move, plus and mi\
nus zoom. The table Ranks has the same as text.`),new ResizeObserver(()=>this.resize()).observe(this.element),
e.store.listen((n,s)=>{n.view!==s.view&&this.tiles.drop(),this.draw()}),this.listen()}o;element;canvas=m("canv\
as",{tabindex:0,role:"img"});tip=m("div",{class:"tip",hidden:!0});note=m("div",{class:"mapnote","aria-live":"p\
olite"});tiles;lanes;grid;width=0;height=0;waiting=!1;lines=new Map;steps;drawn=[];heads=[];drag;pointer;own;shared;seen=new Set;markers=[];messages=!0;frames=[];setSteps(e){
this.steps=e,this.draw()}get view(){let e=this.o.store.now.view;return e?[this.own(e[0]),this.own(e[1]),e[2],e[3]]:
[this.grid.from_ns,this.grid.to_ns,0,this.grid.lines]}look(e,n,s,i,o=!0){let l=this.grid,a=Math.max(200,Math.min(
n-e,(l.to_ns-l.from_ns)*1.02)),r=(e+n)/2;e=Math.max(l.from_ns-.01*(l.to_ns-l.from_ns),Math.min(r-a/2,l.to_ns*1.01-
a)),i=Math.max(1,Math.min(l.lines,i)),s=Math.max(0,Math.min(l.lines-i,s));let d=e<=l.from_ns&&e+a>=l.to_ns&&i===
l.lines;this.o.store.set({view:d?void 0:[this.shared(e),this.shared(e+a),s,i]},o)}zoom(e,n=this.pointer?.x??N+
this.plot/2){let[s,i,o,l]=this.view,a=this.timeAt(Math.max(N,n));this.look(a-(a-s)*e,a+(i-a)*e,o,l)}pan(e){let[
n,s,i,o]=this.view;this.look(n+e*(s-n),s+e*(s-n),i,o)}scroll(e){let[n,s,i,o]=this.view,l=Math.sign(e)*Math.max(
1,Math.round(Math.abs(e)*o));this.look(n,s,i+l,o)}zoomLines(e,n=this.pointer?.y??E+(this.height-E)/2){let[s,i,
o,l]=this.view,a=Math.max(1,Math.round(e>1?Math.max(l+1,l*e):Math.min(l-1,l*e))),r=this.lineAt(n);this.look(s,
i,Math.round(r-(r-o)*(a/l)),a)}get plot(){return Math.max(1,this.width-N)}get row(){return Math.min(tn,(this.height-
E)/this.view[3])}x=e=>{let[n,s]=this.view;return N+(e-n)/(s-n)*this.plot};timeAt(e){let[n,s]=this.view;return n+
(e-N)/this.plot*(s-n)}lineAt(e){return this.view[2]+(e-E)/this.row}resize(){let e=this.element.getBoundingClientRect(),
n=devicePixelRatio||1;this.width=Math.max(200,e.width),this.height=Math.max(60,e.height),this.canvas.width=Math.
round(this.width*n),this.canvas.height=Math.round(this.height*n),this.canvas.style.width=this.width+"px",this.
canvas.style.height=this.height+"px",this.draw()}draw(){this.waiting||!this.width||(this.waiting=!0,requestAnimationFrame(
()=>{this.waiting=!1;let e=performance.now();this.paint(),this.frames.push(performance.now()-e),this.frames.length>
500&&this.frames.splice(0,250)}))}get filter(){let e=this.o.store.now.selection;return{function:e.function,comm:e.
comm,in:e.in}}paint(){let e=this.canvas.getContext("2d");if(!e)return;let n=devicePixelRatio||1;e.setTransform(
n,0,0,n,0,0),e.fillStyle=C("paper"),e.fillRect(0,0,this.width,this.height);let s=this.o.store.now;e.save(),e.beginPath(),
e.rect(N,E,this.plot,this.height-E),e.clip(),this.drawn=[],this.heads=[];let i=this.paintTiles(e,s),o=this.paintLanes(
e,s);this.paintSelection(e,s.selection),o&&this.messages&&this.paintArrows(e),e.restore(),this.paintAxis(e),this.
paintNames(e),this.paintMarkers(e),this.drag&&!this.drag.pan&&this.paintDrag(e),this.annotate(i)}annotate(e){let n=this.
heads.reduce((l,a)=>Math.max(l,a.head.exact?0:a.head.blur_ns),0),s=this.heads.reduce((l,a)=>l+a.head.pending,0),
i=this.failure;this.element.dataset.state=e||this.tiles.busy?"loading":"ready";let o=i??(s?`not exact yet: ${z(
s,"thread")} still to be read`:n?`not exact: means over stretches of ${k(n)}`:"");this.note.textContent!==ne(o)&&
S(this.note,o)}failure;paintTiles(e,n){let[s,i,o,l]=this.view,a=(i-s)/this.plot,r=Math.max(0,Math.min(this.grid.
level,Math.floor(Math.log2(2*a)))),d=1;for(;d*2*this.row<=2.01;)d*=2;let u=[];if(G){let f=at(this.grid),b=[...new Set(
f.map(g=>g.level))].sort((g,p)=>p-g);r=b.find(g=>g<=r)??b.at(-1)??r,u=f.filter(g=>g.level===r)}else{let f=64*d,
b=256*2**r;for(let g=Math.floor(o/f)*f;g<Math.min(o+l,this.grid.lines);g+=f)for(let p=Math.max(0,Math.floor(s/
b));p*b<Math.min(i,this.grid.to_ns);p++)u.push({level:r,x:p,first:g,group:d,rows:Math.min(64,Math.ceil((this.grid.
lines-g)/d))})}let h={...this.filter,order:n.order==="rank"?void 0:n.order},c=!1;this.failure=void 0,e.imageSmoothingEnabled=
!1;for(let f of u){let b=this.tiles.tile(f,h);b?.error&&(this.failure=b.error);let g=b?.head?{tile:b,place:f}:
this.tiles.coarser(f,h);if(b||(c=!0),!g)continue;g.tile===b&&b.head&&this.see(b.head,f);let p=rt(g.tile,n.color);
p&&this.paintTile(e,p,g.place,f)}return c}see(e,n){this.heads.push({head:e,place:n});let s=this.seen.size;for(let i of e.
rows)i.sum_ns.forEach((o,l)=>o>0&&this.seen.add(e.categories[l]??""));this.seen.size>s&&this.element.dispatchEvent(
new Event("seen"))}paintTile(e,n,s,i){let o=2**(s.level-i.level),l=256/o,a=256*2**i.level,r=this.x(i.x*a),d=E+
(s.first-this.view[2])*this.row,u=n.height;if(e.drawImage(n,(i.x-s.x*o)*l,0,l,u,r,d,this.x((i.x+1)*a)-r,u*s.group*
this.row),this.row>=5&&s.group===1){e.fillStyle=C("paper");for(let h=1;h<=u;h++)e.fillRect(r,Math.round(d+h*this.
row)-1,this.x((i.x+1)*a)-r,1)}}paintLanes(e,n){let[s,i,o,l]=this.view;if(this.row<12||!this.o.overview.timed||
G||n.color!=="activity"||this.o.overview.calls/this.grid.lines/Math.max(1,this.grid.to_ns-this.grid.from_ns)*(i-
s)>1500)return!1;let r=!1;for(let d=Math.floor(o);d<Math.min(Math.ceil(o+l),this.grid.lines);d++){let u=this.line(
d);if(!u)continue;let h=E+(d-o)*this.row;for(let c of this.lanes.of(u,s,i,this.filter)){let f=n.call,b=f&&f[0]===
u.world&&f[1]===u.rank&&f[2]===u.thread?f[3]:void 0,g=Math.min(this.width,this.x(c.to_ns));it(e,c,h,this.row-1,
this.x,g,Math.max(N,this.x(c.from_ns)),b,this.drawn)&&(r=!0)}}return r}paintArrows(e){let[n,s,i,o]=this.view,l=new Map;
for(let r=Math.floor(i);r<i+o;r++){let d=this.line(r);d&&d.thread===0&&l.set(d.rank,E+(r-i+.5)*this.row)}let a=this.
o.store.now.selection;st(e,this.lanes.arrows(n,s,{rank:a.rank,comm:a.comm}),this.x,l,[N,this.width])}paintSelection(e,n){
let{from_ns:s,to_ns:i,lines:o}=this.grid,[,,l,a]=this.view,r=C("veil"),d=fe(n.time,s,i),u=this.steps&&ae(n.steps,
this.steps.total),h=N,c=this.width;if(d&&([h,c]=[this.x(this.own(d[0])),this.x(this.own(d[1]))]),u&&this.steps){
let p=Math.min(this.steps.begin_ns.length-1,Math.floor(u[0]/this.steps.stride)),v=Math.min(this.steps.begin_ns.
length-1,Math.floor(u[1]/this.steps.stride));h=Math.max(h,this.x(this.steps.begin_ns[p]??s)),c=Math.min(c,this.
x((this.steps.begin_ns[v]??i)+(this.steps.length_ns[v]??0)))}if(e.fillStyle=r,h>N&&e.fillRect(N,E,h-N,this.height),
c<this.width&&e.fillRect(c,E,this.width-c,this.height),(d||u)&&(e.fillStyle=C("accent"),e.fillRect(h-1,E,2,this.
height),e.fillRect(c-1,E,2,this.height)),!n.rank)return;e.fillStyle=r;let f=Math.max(N,h),b=Math.min(this.width,
c)-f,g=Math.max(1,Math.floor(1/this.row));for(let p=Math.floor(l);p<Math.min(o,l+a);p+=g){let v=this.line(p);v&&
!ve(n.rank,v.rank)&&e.fillRect(f,E+(p-l)*this.row,b,Math.max(1,g*this.row))}}paintAxis(e){let[n,s]=this.view;e.
fillStyle=C("faint"),e.strokeStyle=C("rule"),e.lineWidth=1,e.font="11px system-ui, DejaVu Sans, sans-serif",e.
textBaseline="alphabetic";let i=(s-n)/this.plot*110,o=10**Math.floor(Math.log10(i)),l=[1,2,5,10].map(a=>a*o).find(
a=>a>=i)??i;for(let a=Math.ceil(n/l)*l;a<=s;a+=l){let r=Math.round(this.x(a))+.5;if(r<N)continue;e.beginPath(),
e.moveTo(r,14),e.lineTo(r,18),e.stroke();let d=Re(a,l*10);r+e.measureText(d).width/2<this.width&&(e.textAlign=
"center",e.fillText(d,Math.max(r,N+e.measureText(d).width/2),11))}this.paintSteps(e),e.beginPath(),e.moveTo(N,
E-.5),e.lineTo(this.width,E-.5),e.stroke()}paintSteps(e){let n=this.steps;if(e.textAlign="left",e.fillText(n?.
begin_ns.length?"step":"",4,29),!n)return;let s=-1/0,i=-1/0,o=new Set((n.slow??[]).map(l=>Math.floor(l.step/n.
stride)));for(let l=0;l<n.begin_ns.length;l++){let a=Math.round(this.x(n.begin_ns[l]??0))+.5;if(a<N||a>this.width||
a-s<4&&!o.has(l))continue;s=a,e.strokeStyle=o.has(l)?C("bad"):C("rule"),e.beginPath(),e.moveTo(a,20),e.lineTo(
a,E),e.stroke();let r=String(l*n.stride),d=e.measureText(r).width+8;a>i&&a+d<this.width&&(e.fillText(r,a+2,29),
i=a+Math.max(d,26))}}paintNames(e){let[,,n,s]=this.view,i=Math.max(1,Math.ceil(13/this.row));e.font="11px syst\
em-ui, DejaVu Sans, sans-serif",e.textAlign="right",e.textBaseline="middle";let o=this.o.store.now.selection.rank;
for(let l=Math.ceil(n/i)*i;l<Math.min(this.grid.lines,n+s);l+=i){let a=this.line(l);if(!a)continue;let r=E+(l-
n+.5)*this.row;r>this.height-4||r<E+4||(e.fillStyle=o&&ve(o,a.rank)?C("accent"):C("ink"),e.fillText(ct(a,i===1||
l===0),N-6,r))}}paintMarkers(e){for(let n of this.markers){let s=this.yOfRank(n.rank),i=this.x(n.at);s===void 0||
i<N||i>this.width||(e.fillStyle=C("bad"),e.strokeStyle=C("paper"),e.beginPath(),e.moveTo(i,s),e.lineTo(i-5,s-9),
e.lineTo(i+5,s-9),e.closePath(),e.fill(),e.stroke())}}paintDrag(e){let n=this.drag;if(!n)return;e.strokeStyle=
C("accent"),e.fillStyle=C("select");let s=Math.min(n.x,n.x1),i=Math.min(n.y,n.y1),o=[s,this.grid.lines>1?i:E,Math.
abs(n.x1-n.x),this.grid.lines>1?Math.abs(n.y1-n.y):this.height];e.fillRect(...o),e.strokeRect(...o)}line(e){let n=this.
o.store.now.order,s=Math.floor(e/le)*le,i=n+"/"+s,o=this.lines.get(i);if(o===void 0&&(this.lines.set(i,null),R(
"lines",{rec:this.o.rec||void 0,order:n==="rank"?void 0:n,first:s,count:le}).then(l=>{this.lines.set(i,l),this.
draw()},()=>{})),o)return o.lines[e-s];for(let{head:l,place:a}of this.heads){if(a.group!==1)continue;let r=l.rows[e-
a.first];if(r)return{rank:r.rank,world:r.world,thread:r.thread,host:"",class:0,calls:0}}}yOfRank(e){let[,,n,s]=this.
view;for(let i=Math.floor(n);i<n+s;i++){let o=this.line(i);if(o?.rank===e&&o.thread===0)return E+(i-n+.5)*this.
row}}hit(e,n){let s;for(let i of this.drawn)n<i.y||n>i.y+i.height||e<i.x-1||e>i.x+Math.max(i.width,2)||(!s||i.
width<=s.width)&&(s=i);return s}listen(){let e=this.canvas;e.addEventListener("pointerdown",n=>{n.button>1||(e.
setPointerCapture(n.pointerId),this.drag={x:n.offsetX,y:n.offsetY,x1:n.offsetX,y1:n.offsetY,pan:n.shiftKey||n.
button===1},this.tip.hidden=!0)}),e.addEventListener("pointermove",n=>{this.pointer={x:n.offsetX,y:n.offsetY};
let s=this.drag;if(!s)return this.point();if(s.pan){let[i,o,l,a]=this.view,r=(s.x1-n.offsetX)/this.plot*(o-i);
this.look(i+r,o+r,l+Math.round((s.y1-n.offsetY)/this.row),a)}s.x1=n.offsetX,s.y1=n.offsetY,this.draw()}),e.addEventListener(
"pointerup",n=>{let s=this.drag;this.drag=void 0,s&&!s.pan&&this.released(s,n.ctrlKey||n.metaKey),this.draw()}),
e.addEventListener("pointercancel",()=>this.drag=void 0),e.addEventListener("pointerleave",()=>{this.pointer=void 0,
this.tip.hidden=!0}),e.addEventListener("dblclick",()=>this.fit()),e.addEventListener("wheel",n=>{n.preventDefault();
let s=n.deltaMode?n.deltaY*20:n.deltaY;Math.abs(n.deltaX)>Math.abs(n.deltaY)?this.pan(n.deltaX/1e3):n.shiftKey?
this.pan(s/1e3):n.altKey?this.zoomLines(Math.exp(s/400),n.offsetY):this.zoom(Math.exp(s/400),n.offsetX)},{passive:!1})}fit(){
let e=this.o.store.now.selection,{from_ns:n,to_ns:s}=this.grid,i=fe(e.time,n,s),o=this.steps&&ae(e.steps,this.
steps.total);if(o&&this.steps){let d=Math.floor(o[0]/this.steps.stride),u=Math.min(this.steps.begin_ns.length-
1,Math.floor(o[1]/this.steps.stride));i??=[this.steps.begin_ns[d]??n,(this.steps.begin_ns[u]??s)+(this.steps.length_ns[u]??
0)]}let[l,a]=i??[n,s],r=i?(a-l)*.03:0;this.look(l-r,a+r,this.view[2],this.view[3],!1)}async released(e,n){let s=this.
o.store;if(Math.abs(e.x1-e.x)<4&&Math.abs(e.y1-e.y)<4){let r=this.markers.find(c=>Math.abs(this.x(c.at)-e.x)<6&&
Math.abs((this.yOfRank(c.rank)??-99)-5-e.y)<9);if(r)return r.choose();let d=this.line(Math.floor(this.lineAt(e.
y))),u=this.hit(e.x,e.y);if(u?.call){let c=u.line;return s.set({call:[c.world,c.rank,c.thread,u.call.index],panel:"\
call"})}if(u?.loop?.step&&u.loop.iteration===u.loop.last_iteration)return s.select({steps:String(u.loop.iteration),
time:""});if(!d||e.y<E)return;let h=s.now.selection.rank;return n&&h?s.select({rank:ve(h,d.rank)?ye(this.ranksIn(
h).filter(c=>c!==d.rank)):ye([...this.ranksIn(h),d.rank])}):s.select({rank:h===String(d.rank)?"":String(d.rank)})}
let i=lt(this.shared(this.timeAt(Math.max(N,Math.min(e.x,e.x1)))),this.shared(this.timeAt(Math.max(e.x,e.x1)))),
o=Math.max(0,Math.floor(this.lineAt(Math.min(e.y,e.y1)))),l=Math.min(this.grid.lines-1,Math.floor(this.lineAt(
Math.max(e.y,e.y1)))),a=o<=0&&l>=this.grid.lines-1||Math.abs(e.y1-e.y)<4||e.y<E;s.select({time:i,steps:"",rank:a?
s.now.selection.rank??"":await this.ranksOf(o,l)})}ranksIn(e){return e.split(",").flatMap(n=>{let[s=0,i=s]=n.split(
"-").map(Number);return Array.from({length:i-s+1},(o,l)=>s+l)})}async ranksOf(e,n){let s=this.o.store.now.order,
i=[];for(let o=Math.floor(e/le)*le;o<=n;o+=le)(await R("lines",{rec:this.o.rec||void 0,order:s==="rank"?void 0:
s,first:o,count:le})).lines.forEach((a,r)=>{o+r>=e&&o+r<=n&&a.rank>=0&&i.push(a.rank)});return ye(i)}point(){let e=this.
pointer;if(!e||e.x<N||e.y<E){this.tip.hidden=!0;return}let n=this.timeAt(e.x),s=Math.floor(this.lineAt(e.y)),[
i,o]=this.view,l=this.hit(e.x,e.y),a=[],r=this.line(s);if(l?.call)a.push(...nn(l.call,l.site));else if(l?.loop){
let c=l.loop;a.push(m("b",{},`${c.step?"step":"iteration"} ${c.iteration}${c.last_iteration>c.iteration?"-"+c.
last_iteration:""} of ${c.of}`),m("div",{},c.name),m("div",{},k(c.end_ns-c.start_ns)))}else l?.region?a.push(m(
"b",{},"region "+l.region)):a.push(...this.aboutCell(s,n));let d=this.markers.find(c=>Math.abs(this.x(c.at)-e.
x)<6&&Math.abs((this.yOfRank(c.rank)??-99)-5-e.y)<9);if(d&&a.unshift(m("b",{class:"bad"},d.text)),!a.length){this.
tip.hidden=!0;return}S(this.tip,m("div",{class:"where"},`${r?ct(r,!0):""}  at ${Re(n,o-i)}`),...a),this.tip.hidden=
!1;let u=this.tip.offsetWidth,h=this.tip.offsetHeight;this.tip.style.left=(e.x+16+u>this.width?Math.max(0,e.x-
u-12):e.x+16)+"px",this.tip.style.top=Math.max(0,Math.min(e.y+14,this.height-h-4))+"px"}aboutCell(e,n){for(let{
head:s,place:i}of this.heads){let o=Math.floor((e-i.first)/i.group),l=Math.floor(n/2**i.level)-i.x*256,a=s.rows[o];
if(!a||l<0||l>255||e<i.first)continue;let r=this.tiles.tile(i,{...this.filter,order:this.o.store.now.order==="\
rank"?void 0:this.o.store.now.order},!1)?.cells;if(!r)continue;let d=s.categories.length,u=s.categories.map((c,f)=>[
r[(o*256+l)*d+f]??0,c]).filter(([c])=>c>0).sort((c,f)=>f[0]-c[0]),h=a.threads>1?m("div",{},`mean of ${z(a.threads,
"thread")}: ranks ${a.rank} to ${a.last_rank}`):null;return a.read===0?[m("div",{},"not read yet")]:[...h?[h]:
[],m("div",{},`mean of ${k(2**i.level)}`),...u.length?u.map(([c,f])=>m("div",{},`${D(c/255)} ${F.find(b=>b.key===
f)?.name??f}`)):[m("div",{},"nothing is known")]]}return[]}picture(){return this.canvas}};function ct(t,e){let n=(t.
world?`w${t.world}:`:"")+(t.rank<0?"?":t.rank)+(t.thread?"."+t.thread:"");return e&&!t.world&&!t.thread?"rank "+
n:n}function nn(t,e){return[m("b",{},t.func),m("div",{},`${k(t.end_ns-t.start_ns)}${t.unfinished?", did not re\
turn":""}, call ${t.index}`),...e?[m("div",{class:"site"},e)]:[]]}function Se(t){return t===null?"not known or not significant":Array.isArray(t)?"["+t.map(Se).join(", ")+"]":typeof t==
"object"?"{"+Object.entries(t).map(([e,n])=>`${e}: ${Se(n)}`).join(", ")+"}":String(t)}var mt={id:"call",title:"\
Call",command:t=>t.call?["dump","--rank",String(t.call[1]),"--from",String(t.call[3]),"--limit","1"]:["dump"],
key:t=>String(t.call),show:(t,e)=>{L(e,async(n,s)=>{let i=t.store.now.call;if(!i)return[m("p",{class:"empty"},
"Click a call in the map (zoom in until calls are drawn one by one), or choose one in a table.")];let[o,l,a,r]=i,
u=await T("calls",{...{world:o||void 0,rank:l,thread:a||void 0},from:r,limit:1},n,s),h=u.calls[0];if(!h)return[
m("p",{class:"empty"},`Rank ${l} made ${x(u.total)} calls: there is no call ${r}.`)];let c=h.start_ns,f=h.end_ns??
c,b=w=>t.store.set({call:[o,l,a,w]}),g=()=>{if(c===void 0||f===void 0)return;let w=Math.max(f-c,500);t.look(c-
w,f+w,l)},p=m("div",{class:"controls"},m("b",{},h.func),`rank ${o?`w${o}:`:""}${l}${a?", thread "+a:""}, call ${x(
h.index)} of ${x(u.total)}`,m("button",{type:"button",disabled:r<=0,click:()=>b(r-1)},"\u2190 previous"),m("bu\
tton",{type:"button",disabled:r+1>=u.total,click:()=>b(r+1)},"next \u2192"),m("button",{type:"button",disabled:c===
void 0,click:g},"zoom to it"),m("button",{type:"button",click:()=>t.store.select({function:h.func})},"select t\
he function")),v=m("dl",{class:"call"});return c!==void 0&&f!==void 0&&sn(t,v,l,c,Math.max(f,c+1),h,n),[p,m("d\
iv",{class:"columns"},dt([["call",h.func+(h.flags?.length?` (${h.flags.join(", ")})`:"")],...Object.entries(h.
in).map(([w,y])=>[w,Se(y)]),...Object.entries(h.out).map(([w,y])=>["\u2192 "+w,Se(y)]),["returned",h.error??String(
h.ret)]]),dt([["begin",c===void 0?"not recorded":`${(c/1e9).toFixed(9)} s`],["duration",h.end_ns===void 0?"did\
 not return":k(h.end_ns-(c??0))],["call site",Z(h.site?.slice(0,1))||"unknown"],...(h.site??[]).slice(1).map(w=>[
"called from",Z([w])])]),m("div",{},m("h3",{},"Messages of this call"),v))]})}};function dt(t){return m("dl",{
class:"call"},...t.flatMap(([e,n])=>[m("dt",{},e),m("dd",{},n)]))}async function sn(t,e,n,s,i,o,l){let a=[];try{
let r=await T("arrows",{t0:s,t1:i,rank:n,max:5e3},l,()=>{});for(let d of r.arrows??[]){let u=d.from===n&&d.send===
o.index,h=d.to===n&&d.receive===o.index;if(!u&&!h)continue;let c=u?d.to:d.from;if(a.push(m("dt",{},u?"to":"fro\
m"),m("dd",{},m("button",{type:"button",click:()=>t.call(0,c,0,u?d.receive:d.send)},`rank ${c}, call ${x(u?d.receive:
d.send)}`),` ${d.bytes>=0?H(d.bytes):"size unknown"}, tag ${d.tag}`,d.wait_ns>0&&m("span",{class:"bad"},h?`; w\
aited ${k(d.wait_ns)} for rank ${d.from}, which came late`:`; rank ${d.to} waited ${k(d.wait_ns)} for this`))),
a.length>40)break}}catch{}e.replaceChildren(...a.length?a:[m("dd",{},"none are known")])}var on=[["sizes","sizes of messages"],["durations","durations of calls"]],ht={id:"histogram",title:"Histogram",
command:t=>["histogram",...t.detail==="durations"?["--durations"]:[]],key:t=>W(t)+(t.panel==="histogram"?t.detail:
""),show:(t,e)=>{L(e,async(n,s)=>{let i=t.store.now,o=i.detail==="durations"?"durations":"sizes",l=m("div",{class:"\
controls"},I("show ",on,o,r=>t.store.set({detail:r==="sizes"?"":r}))),a=[];if(o==="sizes"){let r=await T("hist\
ogram",O(i),n,s);for(let d of r.histograms)d.messages&&a.push(m("div",{},m("h3",{},`${d.kind==="p2p"?"point to\
 point":d.kind}: ${x(d.messages)} messages, ${H(d.bytes)}`),ut(d.bins.map(u=>({label:u.from===u.to?H(u.from):`${H(
u.from)} to ${H(u.to)}`,value:u.messages,text:`${x(u.messages)} messages, ${H(u.bytes)}`})))))}else{let r=await T(
"report",O(i),n,s);for(let d of[...r.calls??[]].sort((u,h)=>h.mpi.sum_ns-u.mpi.sum_ns).slice(0,6))a.push(m("di\
v",{},m("h3",{title:d.site},`${d.func} @ ${d.site.split(" < ")[0]}: median ${k(d.durations.p50_ns)}`),ut(rn(d.
durations.bins??[]).map(u=>({label:`${k(u.from_ns)} to ${k(u.to_ns)}`,value:u.count,text:`${x(u.count)} calls`})))))}
return[l,a.length?m("div",{class:"columns"},...a):m("p",{class:"empty"},"There is nothing of this kind in the \
selection.")]})}};function rn(t){let e=new Map;for(let n of t){let s=Math.floor(Math.log2(Math.max(1,n.from_ns))),
i=e.get(s);i?i.count+=n.count:e.set(s,{from_ns:2**s,to_ns:2**(s+1),count:n.count})}return[...e.values()]}function ut(t){
let e=Math.max(1,...t.map(l=>l.value)),n=150,s=110,i=me("svg",{width:n+s+170,height:t.length*18+4,role:"list"});
t.forEach((l,a)=>{let r=a*18;i.append(me("g",{role:"listitem","aria-label":`${l.label}: ${l.text}`},me("text",
{x:n-6,y:r+13,"text-anchor":"end"},l.label),me("rect",{class:"value",x:n,y:r+3,width:Math.max(1,l.value/e*s),height:13}),
me("text",{x:n+l.value/e*s+5,y:r+13},l.text)))});let o=m("div",{class:"chart"});return o.append(i),o}var an=20,pt={id:"icicle",title:"Icicle",command:()=>["profile","--by","site"],key:t=>W(t)+(t.panel==="icicle"?
t.detail:""),show:(t,e)=>{L(e,async(n,s)=>{let i=t.store.now,o=await T("profile",{...O(i),by:"site"},n,s),l=o.
time_ns!==void 0,a={name:l?"time in calls":"calls",value:0,calls:0,call:!1,children:new Map};for(let g of o.rows){
let p=l?g.times?.total_ns??0:g.calls,v=[...g.site??[]].reverse().map(y=>y.func||(y.file??"?").replace(/^.*\//,
"")+(y.offset?"+0x"+y.offset.toString(16):"")),w=a;w.value+=p,w.calls+=g.calls;for(let y of[...v,g.func??""]){
let _=y===g.func&&y!=="",P=w.children.get(y);P||w.children.set(y,P={name:y,value:0,calls:0,call:_,children:new Map}),
w=P,w.value+=p,w.calls+=g.calls}}if(!a.value)return[m("p",{class:"empty"},"There is nothing of this kind in th\
e selection.")];let r=i.detail?i.detail.split(""):[],d=a;for(let g of r)d=d.children.get(g)??d;let u=m("div",
{class:"icicle",role:"tree","aria-label":"Functions by "+(l?"time":"calls")}),h=Math.max(400,e.clientWidth-40),
c=g=>`${g.name}: ${l?k(g.value):""} ${D(g.value/a.value)}, ${x(g.calls)} calls`,f=0,b=(g,p,v,w)=>{let y=g.value/
d.value*h;if(y<1.5||f++>3e3)return;let _=m("button",{type:"button",role:"treeitem",title:c(g),"aria-label":c(g),
click:()=>{g.call?t.store.select({function:g.name}):t.store.set({detail:(g===d?w.slice(0,-1):w).join("")})}},
y>30?g.name:"");_.style.left=p+"px",_.style.top=v*an+"px",_.style.width=Math.max(1,y-1)+"px",_.style.background=
g.call?oe(J(3)):oe(J(F.findIndex(M=>M.key==="lifecycle"))),g.call?_.style.color="#111820":_.style.color="inher\
it",u.append(_);let P=p;for(let M of[...g.children.values()].sort((j,ee)=>ee.value-j.value))b(M,P,v+1,[...w,M.
name]),P+=M.value/d.value*h};return b(d,0,0,r),[m("p",{class:"empty"},`As wide as ${l?"time in calls":"the num\
ber of calls"} of all selected ranks; orange: calls. A click unfolds, on the uppermost goes back.`),u]})}};var bt={id:"loops",title:"Loops",command:()=>["loops"],key:t=>JSON.stringify([t.selection.rank,t.selection.function,
t.selection.step_loop,t.panel==="loops"?t.detail:""]),show:(t,e)=>{L(e,async(n,s)=>{let i=t.store.now,o=await T(
"loops",{rank:i.selection.rank,function:i.selection.function,step_loop:i.selection.step_loop},n,s),l=Math.max(
0,Math.min(o.classes.length-1,Number(i.detail)||0)),a=o.classes[l];if(!a)return[m("p",{class:"empty"},"No call\
s are selected.")];let r=m("div",{},m("p",{class:"empty"},"A loop, or all of a rank, as C: choose \u2018as C\u2019.")),
d=m("div",{class:"tree"},wt(a.body,a.blocks??[],0,t,u=>{ft(r,a.ranks,u)}));return[m("div",{class:"controls"},I(
"ranks that do the same ",o.classes.map((u,h)=>[String(h),`${u.ranks||"?"}${u.thread?", thread "+u.thread:""} \
(${x(u.calls)} calls)`]),String(l),u=>t.store.set({detail:u==="0"?"":u})),m("span",{},`${x(o.classes.length)} ${o.
classes.length===1?"class":"classes"}`),m("button",{type:"button",click:()=>{ft(r,a.ranks)}},"all of it as C")),
m("div",{class:"columns"},d,r)]})}};function gt(t){let e=t.site?.[0],n=Z(e?[e]:[]);return e?.last_line&&e.last_line!==
e.line?n.replace(/:(\d+)/,`:$1-${e.last_line}`):n}function wt(t,e,n,s,i){let o=m("ul",{role:n?"group":"tree"});
for(let l of t){let a=l.body??(l.block!==void 0?e[l.block]:void 0),r=l.min===l.max?x(l.min):`${x(l.min)} to ${x(
l.max)}`,d=m("li",{role:"treeitem"}),u=l.share_of_time!==void 0?D(l.share_of_time)+" of time":D(l.share_of_calls)+
" of calls",h=l.kind==="call"?`${r==="1"?"":r+" \xD7 "}${l.func}`:l.kind==="loop"?`loop, ${r} times`:l.kind===
"mixed"?"calls in no regular order":"block",c=(l.params??[]).filter(b=>/^(dest|source|count|sendcount|tag|root|comm)$/.
test(b.name)).map(b=>`${b.name} ${b.relation?"= "+b.relation:b.values.join(", ")+(b.more?", \u2026":"")}`).join(
"; "),f=m("span",{class:"node"+(l.time_step?" step":"")},l.kind==="call"?m("button",{type:"button",class:"text",
click:()=>s.store.select({function:l.func??""})},h):m("span",{},h),l.time_step&&m("span",{class:"bad"},"time s\
tep"),m("span",{class:"count"},u),m("span",{class:"params"},c),m("span",{class:"params",title:Z(l.site)},gt(l)),
l.kind==="loop"&&m("button",{type:"button",click:()=>i(l)},"as C"));if(a?.length&&n<40){let b,g=n<3,p=m("butto\
n",{type:"button",class:"toggle","aria-expanded":g?"true":"false","aria-label":"unfold "+h},g?"\u25BE":"\u25B8"),
v=w=>{p.setAttribute("aria-expanded",String(w)),S(p,w?"\u25BE":"\u25B8"),b?.remove(),b=void 0,w&&d.append(b=wt(
a,e,n+1,s,i))};p.addEventListener("click",()=>v(!b)),d.append(p,f),g&&v(!0)}else d.append(m("span",{class:"tog\
gle"}),f);o.append(d)}return o}async function ft(t,e,n){S(t,m("p",{class:"pending"},"writing C \u2026"));try{let s=n?.
site?.[0],i=await R("code",{rank:/^\d+/.exec(e)?.[0],loop:n?gt(n).replace(/ \[.*$/,"").replace(/-\d+$/,""):void 0}),
o=i.text.split(`
`),l=o.length>5e3?o.slice(0,5e3).join(`
`)+`
/* ${o.length-5e3} more lines: tabard proxy writes all */`:i.text;S(t,m("h3",{},`${i.title||(s?Z([s]):"")} (${x(
i.lines)} lines)`),m("pre",{class:"code",tabindex:0}));let a=t.querySelector("pre");a&&(a.textContent=l.replace(
/[^\S\n\t ]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,"\uFFFD"));
for(let r of i.notes??[])t.append(m("p",{class:"empty"},r))}catch(s){S(t,m("p",{class:"failed"},se(s)))}}var ce=24;function A(t){if(!t.rows.length)return m("p",{class:"empty"},t.empty??"There is nothing of this kind\
 in the selection.");let e=t.rows,n=t.sort??-1,s=!1,i=Math.max(0,t.chosen?e.findIndex(t.chosen):0),o=m("tbody"),
l=m("tr",{"aria-rowindex":1}),a=m("table",{role:"grid","aria-label":t.label,"aria-rowcount":e.length+1},m("the\
ad",{},l),o),r=m("div",{class:"scroll",tabindex:-1},a);function d(){let p=t.columns[n]?.by;e=p?[...t.rows].sort(
(v,w)=>{let y=p(v),_=p(w);return(y<_?-1:y>_?1:0)*(s?1:-1)}):t.rows}function u(){S(l,...t.columns.map((p,v)=>m(
"th",{scope:"col",class:(p.number?"number":"")+(p.wide?" wide":""),title:p.help,"aria-sort":n===v?s?"ascending":
"descending":void 0},p.by?m("button",{type:"button",click:()=>{s=n===v?!s:!p.number,n=v,d(),u(),i=0,c()}},p.title+
(n===v?s?" \u25B4":" \u25BE":"")):p.title)))}function h(p){let v=m("tr",{"aria-hidden":"true"},m("td",{colspan:t.
columns.length,class:"spacer"}));return v.firstChild.style.height=p*ce+"px",v}function c(p=!1){let v=Math.max(
0,Math.floor(r.scrollTop/ce)-10),w=Math.min(e.length,v+Math.ceil((r.clientHeight||600)/ce)+20),y=[];v>0&&y.push(
h(v));for(let _=v;_<w;_++){let P=e[_],M=m("tr",{"aria-rowindex":_+2,tabindex:_===i?0:-1,"data-row":_,"aria-sel\
ected":t.chosen?.(P)?"true":void 0},...t.columns.map(j=>m("td",{class:(j.number?"number":"")+(j.wide?" wide":"")},
j.cell(P))));y.push(M),p&&_===i&&queueMicrotask(()=>M.focus({preventScroll:!0}))}w<e.length&&y.push(h(e.length-
w)),o.replaceChildren(...y)}function f(p){i=Math.max(0,Math.min(e.length-1,p));let v=i*ce;v<r.scrollTop?r.scrollTop=
v:v+2*ce>r.scrollTop+r.clientHeight&&(r.scrollTop=v+2*ce-r.clientHeight),c(!0)}function b(p){let v=e[p];v===void 0||
!t.choose||(i=p,t.choose(v))}a.addEventListener("click",p=>{let v=p.target.closest("tr[data-row]");v&&!p.target.
closest("button, a")&&b(Number(v.dataset.row))}),a.addEventListener("keydown",p=>{if(!p.target.closest("tbody"))
return;let v=Math.max(1,Math.floor(r.clientHeight/ce)-2),w={ArrowDown:i+1,ArrowUp:i-1,PageDown:i+v,PageUp:i-v,
Home:0,End:e.length-1}[p.key];if(w!==void 0)f(w);else if(p.key==="Enter"||p.key===" ")b(i);else return;p.preventDefault(),
p.stopPropagation()});let g=!1;return r.addEventListener("scroll",()=>{g||(g=!0,requestAnimationFrame(()=>{g=!1,
c(o.contains(document.activeElement))}))}),t.choose&&a.classList.add("choosable"),d(),u(),requestAnimationFrame(
()=>c()),c(),r}function U(t,e,n="bar"){let s=m("span",{class:"fill "+n,"aria-hidden":"true"});return s.style.width=
Math.max(0,Math.min(100,t*100))+"%",m("span",{class:"bar"},s,m("span",{class:"value"},e))}var yt=[["p2p","point to point"],["collective","collectives"],["rma","one-sided"],["all","all"]],vt=[["bytes",
"bytes"],["messages","messages"]];function He(t){let[e="",n=""]=t.split(",");return[yt.some(([s])=>s===e)?e:"p\
2p",vt.some(([s])=>s===n)?n:"bytes"]}var kt={id:"matrix",title:"Matrix",command:t=>["matrix","--kind",He(t.detail)[0]],
key:t=>JSON.stringify([t.selection,He(t.detail)]),show:(t,e)=>{L(e,async(n,s)=>{let i=t.store.now,[o,l]=He(i.detail),
a=await T("matrix",{...O(i),kind:o,bins:64},n,s),r=M=>a.columns.indexOf(M),[d,u,h,c]=[r("from"),r("to"),r("mes\
sages"),r("bytes")],f=a.cells??[],b=a.bins||a.processes,g=a.processes/b,p=M=>a.bins&&g>1?`${Math.ceil(M*g)}-${Math.
ceil((M+1)*g)-1}`:String(M),v=l==="bytes"?c:h,w=M=>l==="bytes"?H(M):l==="messages"?x(M):k(M),y=M=>{let j=[...new Set(
[M[d]??0,M[u]??0])].sort((ee,V)=>ee-V).map(p).join(",");t.store.select({rank:j})},_=ln(f,b,d,u,v,M=>M?`${p(M[d]??
0)} to ${p(M[u]??0)}: ${x(M[h]??0)} messages, ${H(M[c]??0)}`:"",y,w),P=a.totals[o];return[m("div",{class:"cont\
rols"},I("messages ",yt,o,M=>t.store.set({detail:`${M},${l}`})),I("colour ",vt,l,M=>t.store.set({detail:`${o},${M}`})),
P&&m("span",{},`${x(P.messages)} messages, ${H(P.bytes)}`+(P.nowhere?`; ${x(P.nowhere)} to unknown partners`:"")),
a.missing>0&&m("span",{class:"bad"},`${x(a.missing)} ranks are not selected or not recorded: what they send is\
 not known`)),m("div",{class:"columns"},f.length?_:m("p",{class:"empty"},"No such messages in the selection."),
m("div",{},A({label:"Messages by pairs of ranks",rows:f,sort:l==="bytes"?3:2,choose:y,columns:[{title:a.bins&&
g>1?"senders":"sender",number:!0,by:M=>M[d]??0,cell:M=>p(M[d]??0)},{title:a.bins&&g>1?"receivers":"receiver",number:!0,
by:M=>M[u]??0,cell:M=>p(M[u]??0)},{title:"messages",number:!0,by:M=>M[h]??0,cell:M=>x(M[h]??0)},{title:"bytes",
number:!0,by:M=>M[c]??0,cell:M=>H(M[c]??0)},{title:"mean size",number:!0,by:M=>(M[c]??0)/(M[h]||1),cell:M=>H((M[c]??
0)/(M[h]||1))}]})))]})}};function ln(t,e,n,s,i,o,l,a){let r=Math.max(e,1),d=m("canvas",{width:r,height:r,role:"\
img","aria-label":"Senders from top to bottom, receivers from left to right. The table beside it has the same \
as text."}),u=Math.max(1,...t.map(y=>y[i]??0)),h=Math.min(...t.map(y=>y[i]||1/0)),c=d.getContext("2d"),f=new Map;
if(c){let y=c.createImageData(r,r);for(let _ of t){let[P,M,j]=[_[n]??0,_[s]??0,_[i]??0];if(f.set(P*r+M,_),!j)continue;
let ee=u>h?Math.log(j/h)/Math.log(u/h):1,V=3*Math.round(255*Math.max(0,Math.min(1,.06+.94*ee)));y.data.set([K[V]??
0,K[V+1]??0,K[V+2]??0,255],4*(P*r+M))}c.putImageData(y,0,0)}let b=m("p",{class:"empty","aria-hidden":"true"},"\
rows send, columns receive"),g=Math.max(1,Math.min(28,Math.floor(190/r)));d.style.width=g*r+"px",d.style.height=
g*r+"px";let p=y=>f.get(Math.floor(y.offsetY/g)*r+Math.floor(y.offsetX/g));d.addEventListener("pointermove",y=>S(
b,o(p(y))||"rows send, columns receive")),d.addEventListener("click",y=>{let _=p(y);_&&l(_)});let v=m("canvas",
{class:"ramp",width:256,height:1,"aria-hidden":"true"}),w=v.getContext("2d");if(w){let y=w.createImageData(256,
1);for(let _=0;_<256;_++)y.data.set([K[3*_]??0,K[3*_+1]??0,K[3*_+2]??0,255],4*_);w.putImageData(y,0,0)}return m(
"div",{class:"narrow"},m("div",{class:"picture"},d),b,m("div",{class:"legend"},m("span",{class:"key"},Number.isFinite(
h)?a(h):"",v,a(u))))}var xt={id:"messages",title:"Messages",command:()=>["messages"],key:t=>JSON.stringify(t.selection),show:(t,e)=>{
L(e,async(n,s)=>{let i=t.store.now,[o,l]=t.window(),a=await T("messages",O(i),n,s),r=await T("arrows",{...O(i,
["time","steps"]),t0:Math.floor(o),t1:Math.ceil(l),max:1},n,s).catch(()=>null),d=m("div",{},m("h3",{},`${x(a.messages)}\
 messages, ${H(a.bytes)}; ${x(a.unmatched_sends)} were never received, ${x(a.unmatched_receives)} receives got\
 none`+(a.incomplete.length?`; ${x(a.incomplete.length)} collectives lack members`:"")),a.unmatched.length?A({
label:"Messages without a partner",rows:a.unmatched,choose:c=>t.call(0,c.first.process,0,c.first.call),columns:[
{title:"what",by:c=>c.kind,cell:c=>c.kind},{title:"count",number:!0,by:c=>c.count,cell:c=>x(c.count)},{title:"\
bytes",number:!0,by:c=>c.bytes,cell:c=>H(c.bytes)},{title:"ranks",cell:c=>c.processes},{title:"peer",number:!0,
cell:c=>c.first.peer??"any"},{title:"tag",number:!0,cell:c=>c.first.tag??"any"},{title:"why",by:c=>c.reason,cell:c=>c.
reason},{title:"call",wide:!0,cell:c=>`${c.function} @ ${c.site}`}]}):m("p",{class:"empty"},"Every message has\
 a sender and a receiver."),a.incomplete.length?A({label:"Collectives that not all members made",rows:a.incomplete,
choose:c=>t.store.select({function:c.function}),columns:[{title:"missing",number:!0,by:c=>c.missing,cell:c=>`${c.
missing} of ${c.members}`},{title:"came",cell:c=>"ranks "+c.present},{title:"collective",wide:!0,cell:c=>`${c.
function} @ ${c.site}`}]}):null),u=m("div",{},m("h3",{},"To whom, as functions of the rank"),A({label:"Partner\
s as functions of the rank",rows:r?.formulas??[],sort:0,empty:"No partner follows from the rank here.",choose:c=>t.
store.select({function:c.func}),columns:[{title:"calls",number:!0,by:c=>c.calls,cell:c=>x(c.calls)},{title:"fo\
rmula",by:c=>c.text,cell:c=>m("code",{},c.text)},{title:"ranks",by:c=>c.ranks,cell:c=>c.ranks},{title:"call",wide:!0,
by:c=>c.func,cell:c=>m("span",{title:c.site},`${c.func} @ ${c.site}`)}]})),h=r?.bundles?.length?m("div",{class:"\
narrow"},m("h3",{},"Pairs of ranks"),A({label:"Messages by pairs of ranks",rows:r.bundles,sort:3,choose:c=>t.store.
select({rank:c.from===c.to?String(c.from):[c.from,c.to].sort((f,b)=>f-b).join(",")}),columns:[{title:"from",number:!0,
by:c=>c.from,cell:c=>c.from},{title:"to",number:!0,by:c=>c.to,cell:c=>c.to},{title:"messages",number:!0,by:c=>c.
messages,cell:c=>x(c.messages)},{title:"bytes",number:!0,by:c=>c.bytes,cell:c=>H(c.bytes)}]})):null;return[m("\
div",{class:"columns"},d,u,...h?[h]:[])]})}};var Mt={id:"comms",title:"Communicators",command:()=>["info","--comms"],key:t=>String(t.selection.comm),show:(t,e)=>{
L(e,async(n,s)=>{let i=await T("comms",{},n,s);return[A({label:"Communicators",rows:i.communicators,chosen:o=>t.
store.now.selection.comm===String(o.id),choose:o=>t.store.select({comm:t.store.now.selection.comm===String(o.id)?
"":String(o.id)}),columns:[{title:"number",number:!0,by:o=>o.id,cell:o=>o.id},{title:"name",by:o=>o.name,cell:o=>o.
name+(o.labels?.length?` (${o.labels.join(", ")})`:"")},{title:"size",number:!0,by:o=>o.size,cell:o=>x(o.size)},
{title:"made",number:!0,by:o=>o.made,cell:o=>x(o.made)},{title:"freed",number:!0,by:o=>o.freed,cell:o=>x(o.freed)},
{title:"made by",by:o=>o.how,cell:o=>o.how},{title:"members",wide:!0,cell:o=>m("span",{title:o.members},o.members)},
{title:"where",wide:!0,by:o=>o.site??"",cell:o=>m("span",{title:o.site??""},o.site??"")}]})]})}},_t={id:"ranks",
title:"Ranks",command:()=>["report"],key:W,show:(t,e)=>{L(e,async(n,s)=>{let i=t.store.now,l=(await T("report",
O(i,["rank"]),n,s)).ranks??[],a=Math.max(1,...l.map(r=>Math.max(r.mpi_ns,r.computation_ns)));return[A({label:"\
Ranks",rows:l,empty:"There are no times in the selection.",chosen:r=>i.selection.rank===String(r.process),choose:r=>t.
store.select({rank:i.selection.rank===String(r.process)?"":String(r.process)}),columns:[{title:"rank",number:!0,
by:r=>r.process,cell:r=>r.process},{title:"computation",number:!0,by:r=>r.computation_ns,cell:r=>U(r.computation_ns/
a,k(r.computation_ns))},{title:"in calls",number:!0,by:r=>r.mpi_ns,cell:r=>U(r.mpi_ns/a,k(r.mpi_ns),"warm")},{
title:"share in calls",number:!0,by:r=>r.mpi_ns/(r.mpi_ns+r.computation_ns||1),cell:r=>D(r.mpi_ns/(r.mpi_ns+r.
computation_ns||1))},{title:"calls",number:!0,by:r=>r.calls,cell:r=>x(r.calls)},{title:"begins",number:!0,by:r=>r.
begin_ns,cell:r=>k(r.begin_ns)},{title:"ends",number:!0,by:r=>r.end_ns,cell:r=>k(r.end_ns)},{title:"",wide:!0,
cell:()=>""}]})]})}},$t={id:"steps",title:"Steps",command:()=>["report"],key:t=>JSON.stringify([t.selection.steps,
t.selection.step_loop]),show:(t,e)=>{L(e,async(n,s)=>{let i=t.store.now,o=await T("steps",{step_loop:i.selection.
step_loop},n,s),l=new Map((o.slow??[]).map(u=>[Math.floor(u.step/o.stride),u])),a=o.begin_ns.map((u,h)=>({i:h,
begin:u,length:o.length_ns[h]??0,mean:o.mean_ns[h]??0,work:o.computation_ns[h]??0,slow:l.get(h)})),r=Math.max(
1,...a.map(u=>u.length)),d=u=>o.stride>1?`${u*o.stride}-${Math.min(o.total,(u+1)*o.stride)-1}`:String(u);return[
m("h3",{},`${x(o.total)} time steps${o.loop?" of the loop at "+o.loop:o.region?" (region "+o.region+")":""}, m\
edian ${k(o.median_ns)}`),A({label:"Time steps",rows:a,empty:"No time steps were found.",chosen:u=>i.selection.
steps===d(u.i),choose:u=>t.store.select({steps:i.selection.steps===d(u.i)?"":d(u.i),time:""}),columns:[{title:"\
step",number:!0,by:u=>u.i,cell:u=>d(u.i)},{title:"begins",number:!0,by:u=>u.begin,cell:u=>`${(u.begin/1e9).toFixed(
6)} s`},{title:"slowest rank",number:!0,by:u=>u.length,cell:u=>U(u.length/r,k(u.length),u.slow?"warm":"bar")},
{title:"mean",number:!0,by:u=>u.mean,cell:u=>k(u.mean)},{title:"most computation",number:!0,by:u=>u.work,cell:u=>k(
u.work)},{title:"too long by",number:!0,by:u=>u.slow?.excess_ns??0,cell:u=>u.slow?k(u.slow.excess_ns):""},{title:"\
because of",wide:!0,by:u=>u.slow?.cause??"",cell:u=>u.slow?`${u.slow.cause}${u.slow.process>=0?`, rank ${u.slow.
process}`:""}`:""}]})]})}},St={id:"outliers",title:"Odd ranks",command:()=>["outliers"],key:W,show:(t,e)=>{L(e,
async(n,s)=>{let i=await T("outliers",O(t.store.now),n,s);return[A({label:"Ranks that did something else than \
the others",rows:i.outliers,empty:`All ranks do what others do too (${x(i.variants.length)} ${i.variants.length===
1?"variant":"variants"} of calls).`,choose:o=>{let l=i.variants[o.variant]?.ranks??"",a=/^\d+/.exec(l)?.[0];t.
store.select({rank:l}),a&&t.call(0,Number(a),0,o.call)},columns:[{title:"ranks",by:o=>i.variants[o.variant]?.ranks??
"",cell:o=>i.variants[o.variant]?.ranks??""},{title:"like",cell:o=>i.variants[o.of]?`to ${i.variants[o.of]?.ranks}`:
""},{title:"how",by:o=>o.kind,cell:o=>o.kind},{title:"differences",number:!0,by:o=>o.differences,cell:o=>x(o.differences)},
{title:"what",wide:!0,by:o=>o.what,cell:o=>m("span",{title:o.what},o.what)}]})]})}},Tt={id:"compare",title:"Co\
mpare",command:()=>["diff"],key:W,show:(t,e)=>{L(e,async(n,s)=>{let i=await T("diff",O(t.store.now),n,s),o=i.times,
l=Math.max(1,...(o?.sites??[]).map(a=>Math.abs(a.b_ns-a.a_ns)));return[m("div",{class:"columns"},m("div",{},m(
"h3",{},i.same?"No differences in calls":`${x(i.total_differences)} differences in calls`),A({label:"Differenc\
es",rows:i.differences,empty:"Both made the same calls.",choose:a=>{let r=a.loops?.find(u=>u.step),d=/^\d+/.exec(
a.ranks)?.[0];t.store.select({rank:a.ranks,...r?{steps:String(r.iteration),time:""}:{}}),d&&!r&&t.call(a.world??
0,Number(d),a.thread??0,a.call_a)},columns:[{title:"kind",by:a=>a.kind,cell:a=>a.kind},{title:"ranks",by:a=>a.
num_ranks,cell:a=>a.ranks},{title:"step",number:!0,by:a=>a.loops?.find(r=>r.step)?.iteration??-1,cell:a=>a.loops?.
find(r=>r.step)?.iteration??""},{title:"what",wide:!0,cell:a=>m("span",{title:a.text},a.text)}]})),m("div",{},
m("h3",{},o?`time ${k(o.elapsed_a_ns)} and ${k(o.elapsed_b_ns)}`:"no times"),o?A({label:"Time by call site in \
both",rows:o.sites,choose:a=>t.store.select({function:a.func}),columns:[{title:"second takes more",number:!0,by:a=>a.
b_ns-a.a_ns,cell:a=>U(Math.abs(a.b_ns-a.a_ns)/l,(a.b_ns>a.a_ns?"+":"")+k(a.b_ns-a.a_ns),a.b_ns>a.a_ns?"warm":"\
bar")},{title:"first",number:!0,by:a=>a.a_ns,cell:a=>k(a.a_ns)},{title:"second",number:!0,by:a=>a.b_ns,cell:a=>k(
a.b_ns)},{title:"call",wide:!0,by:a=>a.func,cell:a=>m("span",{title:a.site??""},`${a.func} @ ${a.site??""}`)}]}):
null),...i.notes?.length?[m("div",{class:"narrow"},...i.notes.map(a=>m("p",{class:"empty"},a)))]:[])]})}};var Ct=[["site","call site"],["function","function"],["comm","communicator"],["rank","rank"]];function De(t){return Ct.
some(([e])=>e===t)?t:"site"}var Lt={id:"sites",title:"Call sites",command:t=>["profile","--by",De(t.detail)],key:t=>W(
t)+De(t.detail),show:(t,e)=>{L(e,async(n,s)=>{let i=t.store.now,o=De(i.detail),[l,a]=await Promise.all([T("pro\
file",{...O(i),by:o},n,s),o==="site"&&t.overview.timed?T("waits",O(i),n,s).catch(()=>null):null]),r=new Map,d=new Map;
for(let p of a?.causes??[])Pt(r,p.late.func+" @ "+p.late.site,p.time_ns);for(let p of a?.waits??[])Pt(d,p.waiting.
func+" @ "+p.waiting.site,p.time_ns);let u=l.rows.map(p=>{let v=Z(p.site),w=`${p.func} @ ${v}`;return{...p,where:v,
name:cn(p),caused:r.get(w)??0,waited:d.get(w)??0}}),h=l.elapsed_ns??0,c=l.time_ns!==void 0,f=Math.max(1,...u.map(
p=>p.times?.total_ns??0)),b=Math.max(1,...u.map(p=>p.caused)),g=A({label:"Calls, by "+o,rows:u,sort:a||c?0:1,chosen:p=>o===
"rank"?i.selection.rank===String(p.rank):o==="comm"?i.selection.comm===String(p.comm?.id):!!p.func&&i.selection.
function===p.func,choose:p=>{o==="rank"?t.store.select({rank:i.selection.rank===String(p.rank)?"":String(p.rank)}):
o==="comm"?t.store.select({comm:i.selection.comm===String(p.comm?.id)?"":String(p.comm?.id)}):p.func&&t.store.
select({function:i.selection.function===p.func?"":p.func})},columns:[...a?[{title:"causes waiting",number:!0,by:p=>p.
caused||p.waited/1e9,help:"waiting of other ranks that goes back to ranks coming late to these calls",cell:p=>p.
caused?U(p.caused/b,k(p.caused),"warm"):""}]:[],...c?[{title:"time",number:!0,by:p=>p.times?.total_ns??0,cell:p=>U(
(p.times?.total_ns??0)/f,k(p.times?.total_ns??0))},{title:"share",number:!0,by:p=>p.times?.total_ns??0,help:"o\
f the time of all ranks",cell:p=>D((p.times?.total_ns??0)/(o==="rank"?p.elapsed_ns||1:h||1))}]:[],...a?[{title:"\
waiting in it",number:!0,by:p=>p.waited,cell:p=>p.waited?k(p.waited):""}]:[],{title:"calls",number:!0,by:p=>p.
calls,cell:p=>x(p.calls)},...c?[{title:"mean",number:!0,by:p=>p.times?.mean_ns??0,cell:p=>p.times?k(p.times.mean_ns):
""},{title:"longest",number:!0,by:p=>p.times?.max_ns??0,cell:p=>p.times?k(p.times.max_ns):""}]:[],{title:"byte\
s",number:!0,by:p=>p.bytes,cell:p=>p.bytes?H(p.bytes):""},...o==="site"||o==="function"?[{title:"ranks",number:!0,
by:p=>p.ranks,cell:p=>x(p.ranks)}]:[],{title:o==="site"?"function":o,by:p=>o==="rank"?p.rank??0:p.name,cell:p=>p.
name},...o==="site"?[{title:"call site",wide:!0,by:p=>p.where,cell:p=>m("span",{title:p.where},p.where||"unkno\
wn")}]:[]]});return[m("div",{class:"controls"},I("by ",Ct,o,p=>t.store.set({detail:p==="site"?"":p}))),g]})}};
function cn(t){return t.comm?t.comm.name:t.rank!==void 0?(t.world?`w${t.world}:`:"")+t.rank:t.func??""}function Pt(t,e,n){
t.set(e,(t.get(e)??0)+n)}var Rt=[["causes","causes"],["places","where they wait"],["ranks","ranks"],["steps","time steps"]];function Et(t){
let e={view:"causes"};for(let n of t.split(",")){let[s="",i]=n.split(":");s==="cause"&&i?e.cause=i:s==="kind"&&
i?e.kind=i:Rt.some(([o])=>o===s)&&(e.view=s)}return e}function dn(t){return[t.view,t.cause&&"cause:"+t.cause,t.
kind&&"kind:"+t.kind].filter(Boolean).join(",")}var At={id:"waits",title:"Waits",command:t=>{let e=Et(t.detail);return["waits",...e.cause?["--cause",e.cause]:
[],...e.kind?["--kind",e.kind]:[]]},key:t=>JSON.stringify([t.selection,t.detail]),show:(t,e)=>{L(e,async(n,s)=>{
let i=t.store.now,o=Et(i.detail),l=O(i,o.cause?["rank"]:[]),a=await T("waits",{...l,cause:o.cause,kind:o.kind},
n,s),r=c=>t.store.set({detail:dn({...o,...c})}),d=Object.entries(a.kinds).filter(([,c])=>c.count>0).sort((c,f)=>f[1].
time_ns-c[1].time_ns),u=Math.max(1,...d.map(([,c])=>c.time_ns)),h=m("div",{class:"narrow"},m("h3",{},`${k(a.total.
time_ns)} in ${x(a.total.count)} waits, ${D(a.total.time_ns/(a.elapsed_ns||1))} of the time`),A({label:"Kinds \
of waits",rows:d,empty:"Nobody waits for anybody in the selection.",chosen:([c])=>o.kind===c.replaceAll(" ","-"),
choose:([c])=>r({kind:o.kind===c.replaceAll(" ","-")?"":c.replaceAll(" ","-")}),columns:[{title:"pattern",by:([
c])=>c,cell:([c])=>c},{title:"waits",number:!0,by:([,c])=>c.count,cell:([,c])=>x(c.count)},{title:"time",number:!0,
by:([,c])=>c.time_ns,cell:([,c])=>U(c.time_ns/u,k(c.time_ns),"warm")}]}));return[m("div",{class:"controls"},I(
"show ",Rt,o.view,c=>r({view:c})),o.cause!==void 0&&m("span",{},`only what rank ${o.cause} causes `,m("button",
{type:"button",click:()=>r({cause:""})},"show all")),o.kind!==void 0&&m("span",{},`only ${o.kind.replaceAll("-",
" ")} `,m("button",{type:"button",click:()=>r({kind:""})},"show all"))),m("div",{class:"columns"},h,m("div",{},
mn(a,o.view,t)))]})}};function mn(t,e,n){let s=a=>n.store.select({steps:String(a),time:""}),i=(a,r=-1)=>n.store.
select(r>=0?{rank:String(a),steps:String(r),time:""}:{rank:String(a)},{detail:`causes,cause:${a}`}),o=a=>m("sp\
an",{title:a},a);if(e==="places"){let a=Math.max(1,...t.waits.map(r=>r.time_ns));return A({label:"Where ranks \
wait",rows:t.waits,choose:r=>n.store.select({function:r.waiting.func}),columns:[{title:"time",number:!0,by:r=>r.
time_ns,cell:r=>U(r.time_ns/a,k(r.time_ns),"warm")},{title:"waits",number:!0,by:r=>r.count,cell:r=>x(r.count)},
{title:"longest",number:!0,by:r=>r.max_ns,cell:r=>k(r.max_ns)},{title:"pattern",by:r=>r.kind,cell:r=>r.kind},{
title:"waiting most",by:r=>r.waiters?.[0]?.process??-1,cell:r=>r.waiters?.[0]?`rank ${r.waiters[0].process}`:""},
{title:"for",by:r=>r.causers?.[0]?.process??-1,cell:r=>r.causers?.[0]?`rank ${r.causers[0].process}`:""},{title:"\
waiting in",wide:!0,by:r=>r.waiting.site,cell:r=>o(`${r.waiting.func} @ ${r.waiting.site}`)},{title:"late in",
wide:!0,by:r=>r.late.site,cell:r=>o(`${r.late.func} @ ${r.late.site}`)}]})}if(e==="ranks"){let a=Math.max(1,...t.
processes.map(d=>d.root_ns)),r=d=>Object.values(d.waited_ns).reduce((u,h)=>u+h,0);return A({label:"Ranks by th\
e waiting that goes back to them",rows:t.processes,sort:1,choose:d=>i(d.process),columns:[{title:"rank",number:!0,
by:d=>d.process,cell:d=>d.process},{title:"goes back to it",number:!0,by:d=>d.root_ns,cell:d=>U(d.root_ns/a,k(
d.root_ns),"warm")},{title:"others wait for it",number:!0,by:d=>d.caused_ns,cell:d=>k(d.caused_ns)},{title:"it\
 waits",number:!0,by:r,cell:d=>k(r(d))},{title:"mostly",wide:!0,cell:d=>Object.entries(d.waited_ns).sort((u,h)=>h[1]-
u[1])[0]?.[0]??""}]})}if(e==="steps"){let a=Math.max(1,...t.steps.map(r=>r.time_ns));return A({label:"Waiting \
by time step",rows:t.steps,sort:1,empty:"No time steps were found.",choose:r=>s(r.step),columns:[{title:"step",
number:!0,by:r=>r.step,cell:r=>x(r.step)},{title:"waiting",number:!0,by:r=>r.time_ns,cell:r=>U(r.time_ns/a,k(r.
time_ns),"warm")},{title:"because of",number:!0,by:r=>r.cause_ns,cell:r=>r.cause>=0?k(r.cause_ns):""},{title:"\
mostly because",wide:!0,cell:r=>{let d=t.causes[r.cause];return d?o(`rank ${d.process} comes late to ${d.late.
func} @ ${d.late.site}`):""}}]})}let l=Math.max(1,...t.causes.map(a=>a.time_ns));return A({label:"Causes of wa\
iting",rows:t.causes,choose:a=>i(a.process,a.worst_step),columns:[{title:"waiting",number:!0,by:a=>a.time_ns,cell:a=>U(
a.time_ns/l,k(a.time_ns),"warm")},{title:"waits",number:!0,by:a=>a.waits,cell:a=>x(a.waits)},{title:"late rank",
number:!0,by:a=>a.process,cell:a=>a.process},{title:"worst step",number:!0,by:a=>a.worst_step,cell:a=>a.worst_step>=
0?`${x(a.worst_step)} (${k(a.worst_step_ns)})`:""},{title:"comes late to",wide:!0,by:a=>a.late.site,cell:a=>o(
`${a.late.func} @ ${a.late.site}`)}]})}function Ot(t,e,n,s){let i=[n[0]],o=[s[0]],l=t&&e&&t.stride===e.stride?Math.min(t.begin_ns.length,e.begin_ns.length):
0;for(let a=0;a<l;a++){let r=t?.begin_ns[a]??0,d=e?.begin_ns[a]??0;r>(i.at(-1)??0)&&d>(o.at(-1)??0)&&(i.push(r),
o.push(d))}return i.push(Math.max(n[1],(i.at(-1)??0)+1)),o.push(Math.max(s[1],(o.at(-1)??0)+1)),a=>{let r=0,d=i.
length-2;for(;r<d;){let b=r+d+1>>1;(i[b]??0)<=a?r=b:d=b-1}let[u=0,h=1,c=0,f=1]=[i[r],i[r+1],o[r],o[r+1]];return c+
(a-u)/(h-u)*(f-c)}}async function je(t,e,n,s,i){let o=await R("overview",{rec:1});if(!o.grid||!t.overview.grid)
return;let l=await R("steps",{rec:1}).catch(()=>{}),a=[t.overview.grid.from_ns,t.overview.grid.to_ns],r=[o.grid.
from_ns,o.grid.to_ns],d=new he({rec:1,overview:o,store:t.store,own:Ot(i,l,a,r),shared:Ot(l,i,r,a)});d.element.
classList.add("second"),n.append(m("h2",{},`${o.name}: coupled with the first by ${i?.total&&l?.total?"iterati\
on":"time"}`),d.element),s.push(d),l&&d.setSteps(l),hn(t,e,d)}var un=40;async function hn(t,e,n){let s=await R(
"diff").catch(()=>null);for(let i of s?.differences.slice(0,un)??[]){let o=Number(/^\d+/.exec(i.ranks)?.[0]??-1);
if(o<0)continue;let l=i.loops?.find(r=>r.step),a=()=>t.store.select({rank:i.ranks,...l?{steps:String(l.iteration),
time:""}:{}},{panel:"compare"});for(let[r,d,u]of[[0,e,i.call_a],[1,n,i.call_b]]){let c=(await R("calls",{rec:r||
void 0,rank:o,thread:i.thread||void 0,from:u,limit:1}).catch(()=>null))?.calls[0]?.start_ns;c!==void 0&&(d.markers.
push({at:c,rank:o,text:i.text,choose:a}),d.draw())}}}function Nt(t){let e=m("ul",{class:"hits",id:"hits",role:"listbox","aria-label":"What was found",hidden:!0}),n=m(
"input",{type:"search",placeholder:"search  ( / )","aria-label":"Search functions, call sites, ranks, values",
role:"combobox","aria-controls":"hits","aria-expanded":"false",autocomplete:"off",spellcheck:!1,disabled:G}),s=[],
i=-1,o=new AbortController,l=0;function a(){e.hidden=!0,n.setAttribute("aria-expanded","false"),i=-1}function r(){
[...e.children].forEach((h,c)=>{h.setAttribute("aria-selected",String(c===i)),c===i&&h.scrollIntoView({block:"\
nearest"})}),i>=0?n.setAttribute("aria-activedescendant",`hit${i}`):n.removeAttribute("aria-activedescendant")}
function d(h){a(),n.blur();let c={};for(let[f,b]of Object.entries(h.select??{}))q.includes(f)&&(c[f]=b);t.store.
select(c),h.rank>=0&&(h.kind==="value"||h.kind==="site")&&t.call(0,h.rank,h.thread,h.call),t.say(`${h.kind} ${h.
text} selected`)}async function u(h){o.abort(),o=new AbortController;let c=o;if(!h)return a();e.hidden=!1,n.setAttribute(
"aria-expanded","true");try{let f=await R("search",{q:h,limit:50},{signal:c.signal,pending:b=>S(e,m("li",{},b.
what+" \u2026"))});if(c.signal.aborted)return;s=f.hits??[],i=s.length?0:-1,S(e,...s.map((b,g)=>m("li",{role:"o\
ption",id:`hit${g}`,pointerdown:p=>{p.preventDefault(),d(b)}},m("span",{class:"kind"},b.kind),m("span",{class:"\
text",title:b.text},b.text),m("span",{},b.calls?x(b.calls):""))),s.length?null:m("li",{},"Nothing is called th\
at."),f.more?m("li",{class:"kind"},"There is more: write more of it."):null),r()}catch(f){c.signal.aborted||S(
e,m("li",{class:"bad"},f instanceof Error?f.message:String(f)))}}return n.addEventListener("input",()=>{clearTimeout(
l),l=setTimeout(()=>{u(n.value.trim())},120)}),n.addEventListener("blur",a),n.addEventListener("keydown",h=>{let c=s.
length;if(h.key==="ArrowDown"&&c)i=(i+1)%c;else if(h.key==="ArrowUp"&&c)i=(i+c-1)%c;else if(h.key==="Enter"&&s[i])
d(s[i]);else if(h.key==="Escape")a(),n.blur();else return;h.preventDefault(),r()}),{element:m("div",{class:"se\
arch"},n,e),focus:()=>{n.focus(),n.select()}}}var Y=54,Q=78,Te=class{constructor(e){this.store=e;this.element=m("div",{class:"strip"},this.canvas,this.tip),
new ResizeObserver(()=>this.draw()).observe(this.element),e.listen(()=>this.draw());let n=this.canvas;n.addEventListener(
"pointerdown",s=>{n.setPointerCapture(s.pointerId),this.drag={x:s.offsetX,x1:s.offsetX}}),n.addEventListener("\
pointermove",s=>{this.drag?(this.drag.x1=s.offsetX,this.draw()):this.point(s.offsetX)}),n.addEventListener("po\
interleave",()=>this.tip.hidden=!0),n.addEventListener("pointerup",()=>{let s=this.drag;this.drag=void 0;let i=this.
steps;if(!s||!i?.begin_ns.length)return;let[o,l]=[this.at(Math.min(s.x,s.x1)),this.at(Math.max(s.x,s.x1))],a=Math.
min(i.total-1,(l+1)*i.stride-1),r=o*i.stride;e.select({steps:r===a?String(r):`${r}-${a}`,time:""})})}store;element;canvas=m(
"canvas",{tabindex:0,role:"img"});tip=m("div",{class:"tip",hidden:!0});steps;width=0;drag;show(e){this.steps=e;
let n=e.slow?.length??0;this.canvas.setAttribute("aria-label",`Durations of ${z(e.total,"time step")}, median ${k(
e.median_ns)}, ${z(n,"step")} unusually long. The table Steps has the same as text.`),this.draw()}none(e){S(this.
element,m("p",{class:"empty"},e))}at(e){let n=this.steps?.begin_ns.length??1;return Math.max(0,Math.min(n-1,Math.
floor((e-Q)/(this.width-Q)*n)))}draw(){let e=this.steps;if(this.width=this.element.clientWidth,!e||!this.width)
return;let n=devicePixelRatio||1;this.canvas.width=this.width*n,this.canvas.height=Y*n,this.canvas.style.width=
this.width+"px",this.canvas.style.height=Y+"px";let s=this.canvas.getContext("2d");if(!s)return;s.setTransform(
n,0,0,n,0,0),s.fillStyle=C("paper"),s.fillRect(0,0,this.width,Y);let i=e.length_ns.length;if(!i)return;let o=[
...e.length_ns].sort((c,f)=>c-f),l=Math.min(o[i-1]??1,Math.max((o[Math.floor(i*.99)]??1)*1.5,e.median_ns*4)),a=new Set(
(e.slow??[]).map(c=>Math.floor(c.step/e.stride))),r=ae(this.store.now.selection.steps,e.total),d=this.width-Q,
u=c=>Y-2-Math.min(1,c/l)*(Y-8),h=d/i;for(let c=0;c<i;c++){let f=Q+c*h,b=e.length_ns[c]??0,g=r&&(c*e.stride+e.stride-
1<r[0]||c*e.stride>r[1]);s.globalAlpha=g?.35:1,s.fillStyle=a.has(c)?C("bad"):C("step");let p=Math.max(h-(h>4?1:
0),a.has(c)?2:.6);if(s.fillRect(f,u(b),p,Y-u(b)),h>2){s.fillStyle=C("stepwork");let v=u(e.computation_ns[c]??0);
s.fillRect(f,v,p,Y-v)}b>l&&(s.fillStyle=C("paper"),s.fillRect(f,10,p,2))}s.globalAlpha=1,s.strokeStyle=C("acce\
nt"),s.setLineDash([3,3]),s.beginPath(),s.moveTo(Q,u(e.median_ns)+.5),s.lineTo(this.width,u(e.median_ns)+.5),s.
stroke(),s.setLineDash([]),s.fillStyle=C("faint"),s.font="11px system-ui, DejaVu Sans, sans-serif",s.textAlign=
"right",s.fillText(k(l),Q-6,14),s.fillText("steps",Q-6,Y-6),Math.abs(u(e.median_ns)-14)>14&&Math.abs(u(e.median_ns)-
Y+6)>14&&s.fillText("median",Q-6,u(e.median_ns)+4),this.drag&&(s.fillStyle=C("select"),s.fillRect(Math.min(this.
drag.x,this.drag.x1),0,Math.abs(this.drag.x1-this.drag.x),Y))}point(e){let n=this.steps;if(!n?.begin_ns.length||
e<Q){this.tip.hidden=!0;return}let s=this.at(e),i=(n.slow??[]).find(l=>Math.floor(l.step/n.stride)===s),o=s*n.
stride;S(this.tip,m("b",{},n.stride>1?`steps ${o}-${Math.min(n.total,o+n.stride)-1}`:`step ${o}`),m("div",{},`${k(
n.length_ns[s]??0)}, computation ${k(n.computation_ns[s]??0)}`),m("div",{},`median of all ${k(n.median_ns)}`),
i&&m("div",{class:"bad"},`${k(i.excess_ns)} too long: ${i.cause}${i.process>=0?`, rank ${i.process}`:""}`)),this.
tip.hidden=!1,this.tip.style.left=Math.min(e+12,this.width-this.tip.offsetWidth-4)+"px",this.tip.style.top="4p\
x"}};var $=new we;async function pn(){let t;try{t=await R("overview")}catch(e){document.body.replaceChildren(m("p",
{class:"fatal",role:"alert"},se(e)));return}document.title=ne(t.name)+" - tabard",fn(t)}function fn(t){let e=m(
"span",{class:"status",role:"status"}),n=h=>S(e,h),s,i=[],o=()=>i[0],l=[t.grid?.from_ns??0,t.grid?.to_ns??1],a={
store:$,overview:t,say:n,steps:()=>s,look:(h,c)=>{let f=o();f&&f.look(h,c,f.view[2],f.view[3],!1)},call:(h,c,f,b)=>$.
set({call:[h,c,f,b],panel:"call"}),window:()=>fe($.now.selection.time,...l)??l},r=Nt(a),d=[Lt,At,mt,xt,kt,bt,pt,
ht,_t,$t,Mt,St];t.recordings>1&&d.push(Tt);let u=m("div",{class:"maps"});if(t.grid&&t.timed){let h=new Te($),c=new he(
{rec:0,overview:t,store:$});i.push(c),u.append(m("div",{class:"bar-of-map"},I("colour ",tt,$.now.color,f=>$.set(
{color:f})),I("order ",t.grid.orders.map(f=>[f,f==="mpi"?"time in calls":f==="wait"?"waiting":f]),$.now.order,
f=>$.set({order:f,view:void 0})),nt($,c)),h.element,c.element),R("steps").then(f=>{if(s=f,!f.total)return h.none(
"No time steps were found in this run (see tabard loops).");h.show(f),c.setSteps(f),t.recordings>1&&je(a,c,u,i,
f)},f=>{h.none(se(f)),t.recordings>1&&je(a,c,u,i,void 0)})}else u.append(m("p",{class:"empty"},"This recording\
 has no times of calls, so that there is no map. The tables below are complete."));document.body.replaceChildren(
m("a",{href:"#panel",class:"skip",click:h=>{h.preventDefault(),document.getElementById("panel")?.focus()}},"sk\
ip to the tables"),bn(t,r.element,a,d),Ze(a),wn(n),Qe(t),m("main",{},u,et(a)),vn(),yn(d,a),m("footer",{},e,m("\
span",{},t.version)));for(let h of document.querySelectorAll(".panel"))h.id="panel";Mn(a,r.focus,i,d,l),addEventListener(
"jump",h=>{Pe(h.detail,a,l)}),Object.assign(window,{tabard:{frames:()=>i.flatMap(h=>h.frames)}})}function bn(t,e,n,s){
let i=(o,l,a)=>m("button",{type:"button",title:l,"aria-label":l,click:a},o);return m("header",{},m("h1",{title:t.
name},t.name),m("span",{class:"what",title:`${t.command.join(" ")}
${t.mpi}`},`${t.command.join(" ")} \u2014 ${z(t.hosts,"host")}, ${t.created.slice(0,16).replace("T"," ")}`),e,
i("\u21B6","Undo (U)",()=>$.undo()),i("\u21B7","Redo (Shift+U)",()=>$.redo()),i("copy as command","Copy as com\
mand (C)",()=>{Dt(n,s)}),i("export","Export the selection (E)",()=>jt(n,s)),i("\u25D0","Dark or light (T)",Ht),
i("?","Help (?)",Le))}function Ht(){let t=document.documentElement.dataset.theme??(matchMedia("(prefers-color-\
scheme: dark)").matches?"dark":"light");document.documentElement.dataset.theme=t==="dark"?"light":"dark",dispatchEvent(
new Event("themechange")),dispatchEvent(new Event("resize"))}var ze={rank:"ranks",function:"functions",comm:"c\
ommunicator",time:"time",in:"region",steps:"steps",step_loop:"step loop"},gn={rank:"0,4-7",function:"p2p,MPI_A\
llreduce",comm:"0",time:"10%..30%",in:"solve",steps:"10-19",step_loop:"100"};function wn(t){let e=new Map,n=m(
"section",{class:"selection","aria-label":"Selection"}),s=m("button",{type:"button",title:"Select everything (\
Esc)",click:()=>$.set({selection:{}})},"clear");for(let o of q){if(o==="step_loop")continue;let l=m("input",{placeholder:"\
all",title:`${ze[o]}, e.g. ${gn[o]}`,"aria-label":ze[o],spellcheck:!1,autocomplete:"off"});l.addEventListener(
"change",()=>$.select({[o]:l.value.trim()})),l.addEventListener("keydown",a=>{a.key==="Escape"&&l.blur()}),e.set(
o,l),n.append(m("label",{class:o},ze[o],l))}n.append(s);let i=()=>{for(let[o,l]of e)l.value=$.now.selection[o]??
"",l.classList.toggle("set",!!$.now.selection[o]);s.disabled=!Object.keys($.now.selection).length};return $.listen(
(o,l)=>{i(),o.selection!==l.selection&&t(Object.keys(o.selection).length?"selected: "+Ae(o.selection):"everyth\
ing is selected")}),i(),n}function yn(t,e){let n=m("div",{role:"tablist","aria-label":"Panels"}),s=m("div",{class:"\
panel",role:"tabpanel",tabindex:-1}),i="",o=()=>t.find(d=>d.id===$.now.panel)??t[0],l=d=>$.set({panel:d.id,detail:""}),
a=t.map(d=>m("button",{type:"button",role:"tab",id:"tab-"+d.id,click:()=>l(d)},d.title));n.append(...a),n.addEventListener(
"keydown",d=>{let u=t.indexOf(o()),h={ArrowRight:u+1,ArrowLeft:u-1,Home:0,End:t.length-1}[d.key],c=h===void 0?
void 0:t[(h+t.length)%t.length];c&&(d.preventDefault(),d.stopPropagation(),l(c),a[t.indexOf(c)]?.focus())});let r=()=>{
let d=o();t.forEach((c,f)=>{a[f]?.setAttribute("aria-selected",String(c===d)),a[f]?.setAttribute("tabindex",c===
d?"0":"-1")}),s.setAttribute("aria-labelledby","tab-"+d.id);let u=d.id+d.key($.now);if(u===i)return;let h=s.contains(
document.activeElement);i=u,d.show(e,s),h&&s.focus()};return $.listen(r),addEventListener("themechange",()=>{i=
"",r()}),r(),m("section",{class:"bottom","aria-label":"Panels"},n,s)}function vn(){let t=m("button",{type:"but\
ton",class:"grip","aria-label":"Move the border between map and tables: up and down keys"}),e=n=>document.body.
style.setProperty("--bottom",Math.max(80,Math.min(innerHeight-330,n))+"px");return t.addEventListener("pointer\
down",n=>t.setPointerCapture(n.pointerId)),t.addEventListener("pointermove",n=>{t.hasPointerCapture(n.pointerId)&&
e(innerHeight-n.clientY-22)}),t.addEventListener("keydown",n=>{let s={ArrowUp:30,ArrowDown:-30}[n.key];s&&(n.stopPropagation(),
n.preventDefault(),e((document.querySelector(".bottom")?.clientHeight??264)+s))}),t}function kn(t,e){let n=e.find(
l=>l.id===$.now.panel)??e[0],[s="report",...i]=n.command($.now),o=!["info","dump"].includes(s);return["tabard",
s,ue(t.overview.name),...i.map(ue),o?Ae($.now.selection):""].filter(Boolean).join(" ")}async function Dt(t,e){
ge("The tabard line that prints the same",kn(t,e),t.say)}function jt(t,e){let n=t.overview.name.replace(/\.tabard$/,
""),s=e.find(i=>i.id===$.now.panel)??e[0];qe([{text:`save what \u201C${s.title}\u201D shows as text (.csv)`,run:()=>Ee(
`${n}-${s.id}.csv`,new Blob([xn()],{type:"text/csv"}))},{text:"save the picture of the map (.png)",run:()=>document.
querySelector(".map canvas")?.toBlob(i=>i&&Ee(`${n}.png`,i))},{text:"copy the link to this view",run:()=>ge("T\
he link to this view",location.href,t.say)},{text:"copy the line that writes the selection in the format of an\
other tool",run:()=>ge("Export",["tabard export",ue(t.overview.name),...["rank","time","steps"].filter(i=>$.now.
selection[i]).map(i=>`--${i} ${ue($.now.selection[i]??"")}`)].join(" "),t.say)}])}function xn(){let t=e=>{let n=(e.
textContent??"").trim(),s=/^[=+@\t\r-]/.test(n)&&!/^[-+]?[\d.]/.test(n)?"'"+n:n;return/[",\n]/.test(s)?'"'+s.replaceAll(
'"','""')+'"':s};return[...document.querySelectorAll(".panel table")].map(e=>[...e.querySelectorAll("tr:not([a\
ria-hidden])")].map(n=>[...n.children].map(t).join(",")).join(`
`)).join(`

`)+`
`}async function Pe(t,e,n){let s=e.steps();if(!s?.total)return e.say("No time steps were found in this run.");
t=Math.max(0,Math.min(s.total-1,t));let i=s.begin_ns[Math.floor(t/s.stride)]??n[0],o=i+(s.length_ns[Math.floor(
t/s.stride)]??0);if(!G)try{let r=await R("step",{k:t});[i,o]=[r.begin_ns,r.end_ns]}catch{}let l=$.now.view,a=Math.
max(1,o-i)*.04;$.select({steps:String(t),time:""},{view:[i-a,o+a,l?.[2]??0,l?.[3]??e.overview.grid?.lines??1]})}
function Ke(t,e){let n=t.steps();if(!n)return 0;let s=ae($.now.selection.steps,n.total);if(s)return s[0];let i=$.
now.view,o=i?(i[0]+i[1])/2:e[0],l=-1;for(let a of n.begin_ns){if(a>o)break;l++}return l*n.stride}function Mn(t,e,n,s,i){
let o=()=>{let r=[...t.steps()?.slow??[]].map(u=>u.step).sort((u,h)=>u-h);if(!r.length)return t.say("No time s\
tep takes unusually long.");let d=$.now.selection.steps?Ke(t,i):-1;Pe(r.find(u=>u>d)??r[0]??0,t,i)},l=n[0],a={
w:()=>l?.zoom(.7),s:()=>l?.zoom(1/.7),a:()=>l?.pan(-.2),d:()=>l?.pan(.2),ArrowLeft:()=>l?.pan(-.2),ArrowRight:()=>l?.
pan(.2),ArrowUp:()=>l?.scroll(-.2),ArrowDown:()=>l?.scroll(.2),"+":()=>l?.zoomLines(.5),"=":()=>l?.zoomLines(.5),
"-":()=>l?.zoomLines(2),0:()=>$.set({view:void 0}),f:()=>l?.fit(),"[":()=>{Pe(Ke(t,i)-1,t,i)},"]":()=>{Pe(Ke(t,
i)+1,t,i)},o,"/":e,"?":Le,u:()=>$.undo(),U:()=>$.redo(),t:Ht,Escape:()=>$.set({selection:{}}),m:()=>{for(let r of n)
r.messages=!r.messages,r.draw();t.say(l?.messages?"messages are drawn":"messages are not drawn")},c:()=>{Dt(t,
s)},e:()=>jt(t,s)};s.slice(0,9).forEach((r,d)=>a[String(d+1)]=()=>$.set({panel:r.id,detail:""})),addEventListener(
"keydown",r=>{if(r.target.closest("input, textarea, select, dialog"))return;if((r.ctrlKey||r.metaKey)&&!r.altKey){
let h={z:()=>r.shiftKey?$.redo():$.undo(),Z:()=>$.redo(),y:()=>$.redo()}[r.key];return h?(r.preventDefault(),h()):
void 0}if(r.ctrlKey||r.metaKey||r.altKey)return;let u=a[r.key]??(r.key.length===1?a[r.key.toLowerCase()]:void 0);
u&&(r.preventDefault(),u())}),addEventListener("themechange",()=>n.forEach(r=>r.draw())),matchMedia("(prefers-\
color-scheme: dark)").addEventListener("change",()=>dispatchEvent(new Event("themechange")))}pn();})();
