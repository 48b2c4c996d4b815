import { Text } from '@mantine/core';
import { useState } from 'react';
import { useWaitingSignIn } from '../../session/due-factor.js';
import { useSession } from '../../session/use-session.js';
import { APP_NAME } from '../../ui/app-name.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { AppContinue } from './app-continue.js';
import { AppOtpForm } from './app-otp-form.js';
import { AppPasswordForm } from './app-password-form.js';
import { type AppTarget, readAppTarget } from './app-target.js';
import { AppFactorStep } from './factor-step.js';
import classes from './login.module.css';
import { NotSetUp } from './not-set-up.js';
import { SignInLinks } from './sign-in-links.js';
import { AppPasskeyStep } from './passkey-step.js';
import { useCallbackError } from '../../ui/use-callback-error.js';
import { SignInMethods } from './sign-in-methods.js';
import { useTexts } from '../../texts/texts.js';

/**
 * Sign-in to an app. Names the receiver and waits for the user. It uses native forms, so that the browser itself follows the redirect to
 * the app and no script sees a token. A signed-in user can continue to a web app without another sign-in.
 */
export function AppSignIn({ carrier }: { carrier: string }) {
  const { appSignIn } = useTexts();
  const problem = useCallbackError();
  const session = useSession();
  const [isOther, setOther] = useState(false);
  const waiting = useWaitingSignIn();
  const wrongCode = problem?.code === 'otp_invalid';
  const target = readAppTarget(carrier);
  if (!target) {
    return (
      <Page title={appSignIn.damagedTitle} lead={appSignIn.damagedLead}>
        {problem && <Notice tone="problem">{problem.text}</Notice>}
      </Page>
    );
  }
  if (waiting) return <AppFactorStep signIn={waiting} carrier={carrier} problem={problem} />;
  return (
    <Page title={appSignIn.title}>
      {problem && <Notice tone="problem">{problem.text}</Notice>}
      <TargetNote target={target} />
      <NotSetUp />
      {target.linked && session.status === 'signed-in' && !isOther ? (
        <AppContinue carrier={carrier} onOther={() => setOther(true)} />
      ) : (
        <>
          <SignInMethods
            password={<AppPasswordForm carrier={carrier} />}
            otp={<AppOtpForm carrier={carrier} again={wrongCode} />}
            first={wrongCode ? 'otp' : 'password'}
            carrier={carrier}
          />
          <AppPasskeyStep carrier={carrier} />
          <SignInLinks />
        </>
      )}
    </Page>
  );
}

function TargetNote({ target }: { target: AppTarget }) {
  const { appSignIn } = useTexts();
  return (
    <>
      <section className={classes.target} aria-label={appSignIn.receiver}>
        <span className={classes.targetName}>{target.local ? appSignIn.thisComputer : target.host}</span>
        <span className={classes.targetAddress}>{target.address}</span>
      </section>
      <Text c="dimmed" size="sm">
        {appSignIn.warning(APP_NAME)}
      </Text>
    </>
  );
}
