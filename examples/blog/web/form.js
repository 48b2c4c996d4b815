import { byId, el } from './page.js';

/**
 * Shows an error in a form: errors of fields at the inputs, others at the top. The first invalid input gets the focus. `data-field` of an
 * input is the name of its field in the API. The message is shown in the element `<id>-fault`, which `aria-describedby` names.
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
    place.textContent = code === 'required' ? 'This field is required.' : sentence(message);
  }
  const first = form.querySelector('[aria-invalid]');
  const summary = form.querySelector('[data-problem]');
  const problems = others.length > 0 ? others : first === null ? [error.message] : [];
  summary.replaceChildren(...problems.map((problem) => el('p', { class: 'problem' }, problem)));
  (first ?? summary).focus();
}

/** Removes the messages of the previous attempt. */
function clearFaults(form) {
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
  for (const place of form.querySelectorAll('.fault')) place.textContent = '';
}

/** Finds the input of a field: errors of `tags[2]` and `author.name` are shown at `tags` and `author`. */
function inputOf(form, field) {
  const [name] = field.split(/[.[]/);
  return form.querySelector(`[data-field~="${CSS.escape(name)}"]`);
}

function sentence(message) {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
