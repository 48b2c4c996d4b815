import { getRouteApi } from '@tanstack/react-router';
import { AppSignIn } from './app-sign-in.js';
import { SignIn } from './sign-in.js';

const route = getRouteApi('/dash/login');

/** Sign-in page; with `?cli=<carrier>` for an app. */
export function LoginPage() {
  const { cli } = route.useSearch();
  return cli === undefined ? <SignIn /> : <AppSignIn carrier={cli} />;
}
