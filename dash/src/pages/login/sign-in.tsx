import { explainAsText } from '../../api/explain.js';
import { GoTo } from '../../ui/go-to.js';
import { Loading } from '../../ui/loading.js';
import { useWaitingSignIn } from '../../session/due-factor.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';
import { useSession } from '../../session/use-session.js';
import { FactorStep } from './factor-step.js';
import { NotSetUp } from './not-set-up.js';
import { OtpForm } from './otp-form.js';
import { PasswordForm } from './password-form.js';
import { leaveToProvider } from './providers.js';
import { PasskeyStep } from './passkey-step.js';
import { SignInLinks } from './sign-in-links.js';
import { UnsolicitedCode } from './unsolicited-code.js';
import { useCallbackError } from '../../ui/use-callback-error.js';
import { useExchange } from './use-exchange.js';
import { SignInMethods } from './sign-in-methods.js';
import { useTexts } from '../../texts/texts.js';

export function SignIn() {
  const t = useTexts();
  const session = useSession();
  const callbackError = useCallbackError();
  const linked = useCallbackParameter('linked');
  const exchange = useExchange();
  const waiting = useWaitingSignIn();
  if (waiting) return <FactorStep signIn={waiting} />;
  if (exchange.step === 'asking') {
    return (
      <UnsolicitedCode
        key="unasked"
        onUse={() => exchange.decide('spend')}
        onDiscard={() => exchange.decide('forget')}
      />
    );
  }
  if (exchange.step === 'pending') {
    return (
      <Page key="exchange" title={t.signIn.exchanging}>
        <Loading label={t.frame.moment} />
      </Page>
    );
  }
  // Another tab has signed in meanwhile.
  if (session.status === 'signed-in') return <GoTo to="/dash" />;
  const problem = exchange.error ? explainAsText(exchange.error) : callbackError?.text;
  const signedOut = session.status === 'signed-out' ? session.why : null;
  const why = linked === null ? signedOut : 'linked';
  return (
    <Page key="ways" title={t.signIn.title}>
      {problem && <Notice tone="problem">{problem}</Notice>}
      {!problem && why && <Notice tone="plain">{t.signIn.why[why]}</Notice>}
      <NotSetUp />
      <SignInMethods
        password={<PasswordForm />}
        otp={<OtpForm />}
        autoFocus
        onLeave={(address) => void leaveToProvider(address)}
      />
      <PasskeyStep />
      <SignInLinks />
    </Page>
  );
}
