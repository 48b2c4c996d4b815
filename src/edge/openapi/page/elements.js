/**
 * Makes an element. Text is always text: nothing of the document becomes markup.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes] functions are listeners; what is null, undefined or false is left out.
 * @param {...(Node | string | null | undefined | false)} children
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A text in which what stands in backticks is code. */
export function prose(text, tag = 'p') {
  const parts = String(text).split('`');
  return make(tag, {}, ...parts.map((part, at) => (at % 2 === 1 ? make('code', {}, part) : part)));
}

/** Something that opens, and is filled when it does for the first time. */
export function folded(attributes, summary, fill) {
  const body = make('div', { class: 'body' });
  const open = () => {
    if (body.childElementCount === 0) body.append(...[fill()].flat());
  };
  const details = make('details', { ...attributes, toggle: () => details.open && open() }, summary, body);
  return details;
}
