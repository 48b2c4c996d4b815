import { explainInWords } from '../../api/explain.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { useSession } from '../../session/use-session.js';
import { OtpForm } from './otp-form.js';
import { PasswordForm } from './password-form.js';
import { SignInLinks } from './sign-in-links.js';
import { useArrivalError } from './use-arrival-error.js';
import { useExchange } from './use-exchange.js';
import { Ways } from './ways.js';

const WHY_SIGNED_OUT = {
  expired: 'Your session has ended. Please sign in again.',
  left: 'You are signed out.',
};

/** Sign-in to these pages. */
export function SignIn() {
  const session = useSession();
  const arrivalError = useArrivalError();
  const exchange = useExchange();
  if (exchange.pending) {
    return (
      <Page key="exchange" title="Signing you in">
        <Loading label="One moment…" />
      </Page>
    );
  }
  const problem = exchange.error ? explainInWords(exchange.error) : arrivalError?.text;
  const why = session.status === 'signed-out' ? session.why : null;
  return (
    <Page key="ways" title="Sign in">
      {problem && <Notice tone="problem">{problem}</Notice>}
      {!problem && why && <Notice tone="plain">{WHY_SIGNED_OUT[why]}</Notice>}
      <Ways
        password={<PasswordForm />}
        otp={<OtpForm />}
        providerAddress={(provider) => `/api/auth/${encodeURIComponent(provider)}/login`}
      />
      <SignInLinks />
    </Page>
  );
}
