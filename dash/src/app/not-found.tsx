import { ERROR_SENTENCES, SIGN_IN_FAILED } from '../api/error-sentences.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { RouteLink } from '../ui/route-link.js';

const said = document.querySelector('meta[name="page"]')?.getAttribute('content') ?? null;

/** Where this document stands in place of what was asked for, and why; null anywhere else. */
export const REFUSED = said === null ? null : { path: window.location.pathname, code: said === 'none' ? null : said };

/** What the service sends in place of what was asked for. */
export function Refused({ code }: { code: string | null }) {
  if (code === null) return <NotFound />;
  return (
    <Page
      title="This sign-in link does not work"
      lead="Nobody was signed in, and nothing was sent to the app. Go back to the app and start again; if it happens again, tell whoever runs the app."
    >
      <Notice tone="problem">{ERROR_SENTENCES[code]?.text ?? SIGN_IN_FAILED}</Notice>
    </Page>
  );
}

/** For an address that leads nowhere. */
export function NotFound() {
  return (
    <Page title="There is nothing here" lead="The address may be mistyped, or the page has moved.">
      <RouteLink to="/dash/login">Go to sign-in</RouteLink>
    </Page>
  );
}
