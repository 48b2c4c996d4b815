import { call, onEnded, signIn, signOut, start } from './auth.js';

const views = document.querySelectorAll('[data-view]');
const said = document.querySelector('#said');
const who = document.querySelector('#who');

/** Shows one of the views, and what there is to say. */
function show(name, text = '') {
  for (const view of views) view.hidden = view.dataset.view !== name;
  said.textContent = text;
}

/** Asks who is signed in, and shows it; where nobody is any more, says so. */
async function showAccount() {
  try {
    const { login, email } = await call('GET', '/api/auth/me');
    who.textContent = `${login} <${email}>`;
    show('in');
  } catch (error) {
    if (error.status === 401) show('out', 'You were signed out. Please sign in again.');
    else show('in', `${error.message} Try again.`);
  }
}

/** A button that does one thing at a time, and says what went wrong with it. */
function onPress(id, work) {
  const button = document.querySelector(id);
  button.addEventListener('click', async () => {
    if (button.getAttribute('aria-disabled') === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    try {
      await work();
    } catch (error) {
      said.textContent = error.message;
    } finally {
      button.removeAttribute('aria-disabled');
    }
  });
}

onPress('#sign-in', signIn);
onPress('#ask', showAccount);
onPress('#sign-out', async () => {
  await signOut();
  show('out', 'You are signed out.');
});
onEnded(() => show('out', 'You are signed out.'));
/** Back by the back button, out of the browser's memory: nothing is on its way any more. */
addEventListener('pageshow', ({ persisted }) => persisted && show('out'));

try {
  if (await start()) await showAccount();
  else show('out');
} catch (error) {
  show('out', `${error.message} Please sign in again.`);
}
