import { getRouteApi } from '@tanstack/react-router';
import { AppSignIn } from './app-sign-in.js';
import { SignIn } from './sign-in.js';

const route = getRouteApi('/dash/login');

/** Shows the sign-in to these pages, or with `?cli=<carrier>` to a native app. */
export function LoginPage() {
  const { cli } = route.useSearch();
  return cli === undefined ? <SignIn /> : <AppSignIn carrier={cli} />;
}
