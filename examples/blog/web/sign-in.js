import { ask } from './api.js';
import { showFaults } from './form.js';
import { byId } from './page.js';
import { keepSession } from './session.js';

const next = new URLSearchParams(location.search).get('next') ?? '';

onSubmit('sign-in', signIn);
onSubmit('register', async (fields) => {
  const { body } = await ask('POST', '/auth/local/register', {
    body: { ...fields, password_confirmation: fields.password },
  });
  if (body.data.activation === 'auto') return signIn({ login: fields.email, password: fields.password });
  byId('register').replaceChildren(
    'Your account was created. Activate it with the link in the e-mail that we sent you, then sign in.',
  );
});

function onSubmit(id, work) {
  const form = byId(id);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    work(Object.fromEntries(new FormData(form)))
      .catch((error) => showFaults(form, error))
      .finally(() => (button.disabled = false));
  });
}

async function signIn({ login, password }) {
  const { body: tokens } = await ask('POST', '/auth/local/login', { body: { login, password } });
  const authorization = `Bearer ${tokens.token}`;
  const { body: me } = await ask('GET', '/auth/me', { headers: { authorization } });
  keepSession({ token: tokens.token, id: me.id, email: me.email, name: me.login });
  location.assign(/^[a-z-]+\.html$/.test(next) ? next : './');
}
