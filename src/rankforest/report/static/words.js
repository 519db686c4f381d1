// Numbers as words, and elements that hold text only as text.

const facts = JSON.parse(document.getElementById("facts").textContent);
const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) element.append(child);
  return element;
}
const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const known = (value) => value !== null && value !== undefined && !Number.isNaN(value);
const fixed = (value, digits = 3) => (known(value) ? value.toFixed(digits) : "–");
const percent = (value, digits = 1) => (known(value) ? `${(100 * value).toFixed(digits)}%` : "–");
const short = (share) => `${Number((100 * share).toFixed(1))}%`;
// As words.py: digits in groups of three from five on, and no power of ten where a number can be written out.
function grouped(text) {
  const [whole, rest] = text.split(".");
  const spaced = whole.replace("-", "").length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u00a0") : whole;
  return rest === undefined ? spaced : `${spaced}.${rest}`;
}
const count = (value) => (Math.abs(value) >= 1e15 ? String(value) : grouped(String(Number.isInteger(value) ? value : Number(value.toPrecision(6)))));
// Rows that groups share because of ties: whole ones, or tenths in groups of less than ten.
const sharedRows = (value, size) => count(size >= 10 ? Math.round(value) : Math.round(10 * value) / 10);
const compactNumber = (value) => {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e9 || size < 1e-3) return value.toExponential(1).replace("e+", "e");
  return grouped(String(Number(value.toPrecision(size >= 1000 ? 6 : 3))));
};
const clip = (words, letters) => (words.length <= letters ? words : `${words.slice(0, Math.max(1, letters - 1)).trimEnd()}…`);
const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many || `${one}s`}`;

// A figure that is shown in short keeps its full value where it can be read.
function show(id, text, value, more) {
  const place = byId(id);
  if (!place) return;
  place.textContent = text;
  if (known(value)) place.dataset.value = String(value);
  if (more !== undefined) place.append(html("small", {}, more));
}

// An event that comes often is answered once per picture.
function calmly(action) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      action();
    });
  };
}

// On paper nothing can be opened by a click. Of very many rules the first alternative has to do.
let opened = [];
window.addEventListener("beforeprint", () => {
  const shut = [...document.querySelectorAll("details:not([open])")];
  opened = shut.length <= 40 ? shut : [];
  for (const part of opened) part.open = true;
});
window.addEventListener("afterprint", () => {
  for (const part of opened) part.open = false;
});

function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = html("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
