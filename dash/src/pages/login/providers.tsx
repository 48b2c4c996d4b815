import { Button, Stack } from '@mantine/core';
import { storeVerifier } from '../../session/tab-proof.js';
import type { MouseEvent } from 'react';
import { addressOf } from '../../api/base-path.js';
import { inPageLanguage } from '../../texts/page-language.js';
import { providerName } from '../../ui/provider-name.js';
import classes from './login.module.css';
import { useTexts } from '../../texts/texts.js';

interface ProvidersProps {
  names: string[];
  carrier?: string;
  onLeave?: (address: string) => void;
  withDivider: boolean;
}

/** A link for each provider. It leaves these pages, so it is a plain link. */
export function Providers({ names, carrier, onLeave, withDivider }: ProvidersProps) {
  const { signIn } = useTexts();
  function follow(event: MouseEvent, target: string): void {
    // Lets the browser open a new tab or window. A code that arrives there needs a confirmation.
    if (!onLeave || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onLeave(target);
  }
  return (
    <Stack gap="sm">
      {withDivider && <div className={classes.divider}>{signIn.or}</div>}
      {names.map((name) => (
        <Button
          key={name}
          component="a"
          href={providerAddress(name, carrier)}
          variant="default"
          fullWidth
          leftSection={<ProviderMark name={name} />}
          onClick={(event) => follow(event, providerAddress(name, carrier))}
        >
          {signIn.continueWith(providerName(name))}
        </Button>
      ))}
    </Stack>
  );
}

/** First letter of the provider. Provider logos have their own usage rules. */
function ProviderMark({ name }: { name: string }) {
  return (
    <span className={classes.mark} aria-hidden>
      {providerName(name).charAt(0)}
    </span>
  );
}

/** Returns the URL that starts a sign-in with a provider; with a carrier for an app. */
function providerAddress(provider: string, carrier?: string): string {
  const address = addressOf(`/api/auth/${encodeURIComponent(provider)}/login`);
  return inPageLanguage(carrier === undefined ? address : `${address}?cli=${encodeURIComponent(carrier)}`);
}

/** Opens the provider with the challenge of a verifier that only this tab has. */
export async function leaveToProvider(address: string): Promise<void> {
  const challenge = await storeVerifier();
  const joint = address.includes('?') ? '&' : '?';
  window.location.assign(challenge === null ? address : `${address}${joint}code_challenge=${challenge}`);
}
