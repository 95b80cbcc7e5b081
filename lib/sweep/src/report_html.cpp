// report.html: all points in one page, with filters, a figure and a table, and nothing to load.
#include <set>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "kbsim/base/utf8.hpp"
#include "kbsim/sweep/analysis.hpp"

#include "quantity.hpp"

namespace kbsim::sweep {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostMetrics = 60;

constexpr const char* kPage = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>kbsim sweep</title><style>
body{font:15px sans-serif;margin:1.5em;color:#222}select,button{font:inherit;margin-right:1em}
table{border-collapse:collapse;margin-top:1em}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:right}
th{background:#eee;cursor:pointer}td.t{text-align:left;font:12px monospace}tr.bad td{color:#b00}
fieldset{border:1px solid #ccc;display:inline-block;vertical-align:top;margin:0 .6em .6em 0}
</style></head><body><h1 id="title"></h1><pre id="why"></pre><div id="axes"></div>
<p>metric <select id="metric"></select> along <select id="x"></select> <span id="count"></span></p>
<svg id="figure" width="900" height="420" viewBox="0 0 900 420"></svg><table id="table"></table>
<script>
const D=DATA;
const $=id=>document.getElementById(id),colours=["#0072b2","#e69f00","#009e73","#d55e00","#cc79a7","#56b4e9","#332288"];
$("title").textContent=D.bench+": "+D.rows.length+" points";
$("why").textContent=D.why;
const el=(n,t,p)=>{const e=document.createElement(n);if(t!==undefined)e.textContent=t;if(p)p.appendChild(e);return e};
const checks=D.axes.map((a,i)=>{const f=el("fieldset",undefined,$("axes"));el("legend",a,f);
 return [...new Set(D.rows.map(r=>r.v[i]))].map(v=>{const l=el("label",undefined,f),c=el("input",undefined,l);
  c.type="checkbox";c.checked=true;c.onchange=draw;l.append(" "+v+" ");return {v,c}})});
D.metrics.forEach((m,i)=>{const o=el("option",m[0]+(m[1]=="1"?"":" ("+m[1]+")"),$("metric"));o.value=i;o.selected=m[0]==D.metric});
D.axes.forEach((a,i)=>{const o=el("option",a,$("x"));o.value=i});
$("metric").onchange=$("x").onchange=draw;
const many=i=>D.rows.every(r=>r.v[i]!==""&&isFinite(r.v[i]))?new Set(D.rows.map(r=>r.v[i])).size:0;
$("x").value=String(D.axes.reduce((x,a,i)=>many(i)>many(x)?i:x,0));
let order=-1,down=false;
function draw(){
 const on=checks.map(c=>new Set(c.filter(e=>e.c.checked).map(e=>e.v)));
 const rows=D.rows.filter(r=>r.v.every((v,i)=>on[i].has(v))),m=+$("metric").value,x=+$("x").value;
 $("count").textContent=rows.length+" points shown";
 const value=r=>r.m[m]??NaN,lines={};
 const names=[...new Set(rows.map(r=>r.v[x]))],numeric=names.every(n=>n!==""&&isFinite(n));
 if(numeric)names.sort((a,b)=>a-b);
 const xs=numeric?names.map(Number):names.map((n,i)=>i);
 for(const r of rows){if(!isFinite(value(r)))continue;const l=r.v.filter((v,i)=>!D.together[x].includes(i)).join(", ");
  (lines[l]??=[]).push([numeric?+r.v[x]:names.indexOf(r.v[x]),value(r)])}
 const ys=Object.values(lines).flat().map(p=>p[1]),hi=Math.max(...ys,1e-30),x0=Math.min(...xs),x1=Math.max(...xs);
 const px=v=>80+(x1>x0?(v-x0)/(x1-x0):.5)*560,py=v=>380-v/hi*350,s=$("figure");s.textContent="";
 const svg=(n,a,t)=>{const e=document.createElementNS("http://www.w3.org/2000/svg",n);for(const k in a)e.setAttribute(k,a[k]);
  if(t!==undefined)e.textContent=t;s.appendChild(e);return e};
 for(let i=0;i<=5;i++){const v=hi*i/5;svg("line",{x1:80,x2:640,y1:py(v),y2:py(v),stroke:"#ddd"});
  svg("text",{x:74,y:py(v)+4,"text-anchor":"end","font-size":12},+v.toPrecision(4))}
 xs.forEach((v,i)=>{if(xs.length<16)svg("text",{x:px(v),y:398,"text-anchor":"middle","font-size":12},names[i])});
 svg("text",{x:360,y:416,"text-anchor":"middle","font-size":13},D.axes[x]);
 Object.entries(lines).slice(0,14).forEach(([l,p],i)=>{p.sort((a,b)=>a[0]-b[0]);const c=colours[i%7];
  svg("polyline",{points:p.map(q=>px(q[0])+","+py(q[1])).join(" "),fill:"none",stroke:c,"stroke-width":2.5});
  p.forEach(q=>svg("circle",{cx:px(q[0]),cy:py(q[1]),r:3.5,fill:c}));
  svg("text",{x:655,y:30+i*22,fill:c,"font-size":13},l||D.metrics[m][0])});
 const t=$("table");t.textContent="";const h=el("tr",undefined,t),heads=["point",...D.axes,$("metric").selectedOptions[0]?.text,"exit","command"];
 heads.forEach((n,i)=>{const e=el("th",n,h);e.onclick=()=>{down=order==i&&!down;order=i;draw()}});
 const cells=r=>[r.p,...r.v,value(r),r.e,r.e?r.w+" | "+r.c:r.c];
 const all=rows.map(r=>[cells(r),r]);
 if(order>=0)all.sort((a,b)=>{const u=a[0][order],v=b[0][order],c=isFinite(u)&&isFinite(v)?u-v:String(u).localeCompare(String(v));return down?-c:c});
 for(const [c,r] of all.slice(0,2000)){const tr=el("tr",undefined,t);if(r.e)tr.className="bad";
  c.forEach((v,i)=>{const d=el("td",typeof v=="number"&&i==c.length-3?(isFinite(v)?+v.toPrecision(8):""):v,tr);if(i==c.length-1)d.className="t"})}
}
draw();
</script></body></html>
)html";

// The chosen metric, and others up to a page's limit.
std::vector<Metric> metrics_of(const Tables& tables, const std::string& metric) {
  std::vector<Metric> all;
  std::set<std::string> seen;
  for (const Row& row : tables.rows) {
    for (const Metric& each : row.metrics) {
      if (each.name != metric && all.size() >= kMostMetrics) continue;
      if (seen.insert(each.name).second) all.push_back(each);
    }
  }
  return all;
}

json::object to_json(const Row& row, const std::vector<Metric>& metrics) {
  json::array values;
  for (const Metric& metric : metrics) {
    const Metric* found = row.find(metric.name);
    values.push_back(found == nullptr ? json::value(nullptr) : json::value(found->value));
  }
  return {{"p", row.point},
          {"v", json::array(row.values.begin(), row.values.end())},
          {"m", std::move(values)},
          {"e", row.record == nullptr ? -1 : row.record->exit},
          {"w", row.record == nullptr ? "hasn't run" : row.record->message},
          {"c", row.command}};
}

// By axis: the indices of the axes that go with it, itself included.
json::array together_of(const Plan& plan) {
  std::vector<json::array> all;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) all.push_back(json::array{i});
  for (const std::vector<std::size_t>& group : together(plan)) {
    for (const std::size_t axis : group) all[axis] = json::array(group.begin(), group.end());
  }
  return json::array(all.begin(), all.end());
}

}  // namespace

std::string report_html(const Tables& tables, const std::string& metric) {
  const std::vector<Metric> metrics = metrics_of(tables, metric);
  json::array axes;
  for (const Axis& axis : tables.plan.axes) axes.emplace_back(axis.name);
  json::array names;
  for (const Metric& each : metrics) names.push_back(json::array{each.name, each.unit});
  json::array rows;
  for (const Row& row : tables.rows) rows.emplace_back(to_json(row, metrics));
  const json::object data{{"bench", tables.plan.bench},
                          {"metric", metric},
                          {"why", metric.empty() ? failures_text(tables) : ""},
                          {"axes", std::move(axes)},
                          {"together", together_of(tables.plan)},
                          {"metrics", std::move(names)},
                          {"rows", std::move(rows)}};
  std::string page = kPage;
  page.replace(page.find("DATA;"), 4, json_in_script(json::serialize(data)));
  return page;
}

}  // namespace kbsim::sweep
