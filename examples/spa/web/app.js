import { call, onEnded, signIn, signOut, start } from './auth.js';

const views = document.querySelectorAll('[data-view]');
const message = document.querySelector('#message');
const user = document.querySelector('#user');

/** Shows one of the views, with an optional message. */
function show(name, text = '') {
  for (const view of views) view.hidden = view.dataset.view !== name;
  message.textContent = text;
}

/** Shows the signed-in user, or a message if the session has ended. */
async function showAccount() {
  try {
    const { login, email } = await call('GET', '/api/auth/me');
    user.textContent = `${login} <${email}>`;
    show('in');
  } catch (error) {
    if (error.status === 401) show('out', 'You were signed out. Please sign in again.');
    else show('in', `${error.message} Try again.`);
  }
}

/** Runs one click of a button at a time, and shows its error. */
function onPress(id, work) {
  const button = document.querySelector(id);
  button.addEventListener('click', async () => {
    if (button.getAttribute('aria-disabled') === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    try {
      await work();
    } catch (error) {
      message.textContent = error.message;
    } finally {
      button.removeAttribute('aria-disabled');
    }
  });
}

onPress('#sign-in', signIn);
onPress('#reload', showAccount);
onPress('#sign-out', async () => {
  await signOut();
  show('out', 'You are signed out.');
});
onEnded(() => show('out', 'You are signed out.'));
/** The page was restored by the back button (bfcache): its requests are gone. */
addEventListener('pageshow', ({ persisted }) => persisted && show('out'));

try {
  if (await start()) await showAccount();
  else show('out');
} catch (error) {
  show('out', `${error.message} Please sign in again.`);
}
