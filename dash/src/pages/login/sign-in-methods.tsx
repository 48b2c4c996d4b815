import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { TryAgain } from '../../ui/try-again.js';
import { Providers } from './providers.js';
import classes from './login.module.css';
import { useMethods } from '../../api/use-methods.js';
import { useTexts } from '../../texts/texts.js';

interface SignInMethodsProps {
  password: ReactNode;
  otp: ReactNode;
  first?: 'password' | 'otp';
  /** Focuses the first input, for a page with a single purpose. */
  autoFocus?: boolean;
  carrier?: string;
  /** Opens a provider in this tab, if it needs more than following the link. */
  onLeave?: (address: string) => void;
}

export function SignInMethods({
  password,
  otp,
  first = 'password',
  autoFocus = false,
  carrier,
  onLeave,
}: SignInMethodsProps) {
  const { signIn } = useTexts();
  const container = useRef<HTMLDivElement>(null);
  const { data: methods, error, refetch } = useMethods();
  const isLoaded = methods !== undefined;
  useEffect(() => {
    if (autoFocus && isLoaded) container.current?.querySelector('input')?.focus();
  }, [autoFocus, isLoaded]);
  if (error && !methods) return <TryAgain error={error} onRetry={() => void refetch()} />;
  if (!methods) return <Loading />;
  const hasForm = methods.local || methods.otp;
  if (!hasForm && methods.providers.length === 0) {
    return <Notice tone="plain">{signIn.noMethods}</Notice>;
  }
  return (
    <div ref={container} className={classes.ways}>
      {methods.local && methods.otp ? (
        <Tabs defaultValue={first} keepMounted={false}>
          <Tabs.List grow className={classes.tabs} aria-label={signIn.ways}>
            <Tabs.Tab className={classes.tab} value="password">
              {signIn.withPassword}
            </Tabs.Tab>
            <Tabs.Tab className={classes.tab} value="otp">
              {signIn.withCode}
            </Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="password">{password}</Tabs.Panel>
          <Tabs.Panel value="otp">{otp}</Tabs.Panel>
        </Tabs>
      ) : (
        (methods.local && password) || (methods.otp && otp)
      )}
      {methods.providers.length > 0 && (
        <Providers names={methods.providers} carrier={carrier} onLeave={onLeave} withDivider={hasForm} />
      )}
    </div>
  );
}
