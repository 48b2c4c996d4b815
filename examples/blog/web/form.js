import { byId, el } from './page.js';

/**
 * Shows a refusal in a form: each fault at its field, the rest on top; the first faulty field gets the focus. A field says
 * in `data-field` how the service names it; its fault stands in the element `<id>-fault` that `aria-describedby` names.
 */
export function showFaults(form, error) {
  clearFaults(form);
  const others = [];
  for (const { field, code, message } of error.faults ?? []) {
    const input = inputOf(form, field);
    const place = input && byId(`${input.id}-fault`);
    if (!place) {
      others.push(`${field} ${message}`);
      continue;
    }
    input.setAttribute('aria-invalid', 'true');
    place.textContent = code === 'required' ? 'This is needed.' : sentence(message);
  }
  const first = form.querySelector('[aria-invalid]');
  const summary = form.querySelector('[data-problem]');
  const problems = others.length > 0 ? others : first === null ? [error.message] : [];
  summary.replaceChildren(...problems.map((problem) => el('p', { class: 'problem' }, problem)));
  (first ?? summary).focus();
}

/** Takes back what was shown before. */
function clearFaults(form) {
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
  for (const place of form.querySelectorAll('.fault')) place.textContent = '';
}

/** `tags[2]` and `author.name` belong to the inputs of `tags` and `author`. */
function inputOf(form, field) {
  const [name] = field.split(/[.[]/);
  return form.querySelector(`[data-field~="${CSS.escape(name)}"]`);
}

function sentence(message) {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
