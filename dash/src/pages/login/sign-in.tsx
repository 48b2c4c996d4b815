import { explainInWords } from '../../api/explain.js';
import { GoTo } from '../../ui/go-to.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { useArrival } from '../../ui/use-arrival.js';
import { leaveProof } from '../../session/tab-proof.js';
import { useSession } from '../../session/use-session.js';
import { OtpForm } from './otp-form.js';
import { PasswordForm } from './password-form.js';
import { SignInLinks } from './sign-in-links.js';
import { UnaskedCode } from './unasked-code.js';
import { useArrivalError } from '../../ui/use-arrival-error.js';
import { useExchange } from './use-exchange.js';
import { Ways } from './ways.js';

const WHY_HERE = {
  expired: 'Your session has ended. Please sign in again.',
  left: 'You are signed out.',
  linked: 'The provider is linked to your account now. Please sign in again.',
};

/** Sign-in to these pages. */
export function SignIn() {
  const session = useSession();
  const arrivalError = useArrivalError();
  const linked = useArrival('linked');
  const exchange = useExchange();
  if (exchange.step === 'asking') {
    return (
      <UnaskedCode key="unasked" onSpend={() => exchange.decide('spend')} onForget={() => exchange.decide('forget')} />
    );
  }
  if (exchange.step === 'pending') {
    return (
      <Page key="exchange" title="Signing you in">
        <Loading label="One moment…" />
      </Page>
    );
  }
  // Another tab signed in meanwhile.
  if (session.status === 'signed-in') return <GoTo to="/dash/account" />;
  const problem = exchange.error ? explainInWords(exchange.error) : arrivalError?.text;
  const signedOut = session.status === 'signed-out' ? session.why : null;
  const why = linked === null ? signedOut : 'linked';
  return (
    <Page key="ways" title="Sign in">
      {problem && <Notice tone="problem">{problem}</Notice>}
      {!problem && why && <Notice tone="plain">{WHY_HERE[why]}</Notice>}
      <Ways
        password={<PasswordForm />}
        otp={<OtpForm />}
        autoFocus
        providerAddress={(provider) => `/api/auth/${encodeURIComponent(provider)}/login`}
        onLeave={(address) => void leave(address)}
      />
      <SignInLinks />
    </Page>
  );
}

/** To the provider, with what only this tab can answer for when it is back. */
async function leave(address: string): Promise<void> {
  const challenge = await leaveProof();
  window.location.assign(challenge === null ? address : `${address}?code_challenge=${challenge}`);
}
