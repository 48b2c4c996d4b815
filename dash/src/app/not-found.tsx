import { BASE_PATH } from '../api/base-path.js';
import { callbackMessage } from '../api/error-messages.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { NextLink } from '../ui/next-link.js';
import { useTexts } from '../texts/texts.js';

const pageCode = document.querySelector('meta[name="page"]')?.getAttribute('content') ?? null;

/** Path for which the service sent this page as an error response, and the error code; null on all other pages. */
export const REFUSED =
  pageCode === null
    ? null
    : { path: window.location.pathname.slice(BASE_PATH.length), code: pageCode === 'none' ? null : pageCode };

export function Refused({ code }: { code: string | null }) {
  const { frame } = useTexts();
  if (code === null) return <NotFound />;
  return (
    <Page title={frame.refused} lead={frame.refusedLead}>
      <Notice tone="problem">{callbackMessage(code)}</Notice>
    </Page>
  );
}

export function NotFound() {
  const { frame } = useTexts();
  return (
    <Page title={frame.notFound} lead={frame.notFoundLead}>
      <NextLink />
    </Page>
  );
}
