import { Button, Stack } from '@mantine/core';
import type { MouseEvent } from 'react';
import { providerName } from '../../ui/provider-name.js';
import classes from './login.module.css';

interface ProvidersProps {
  names: string[];
  address: (provider: string) => string;
  onLeave?: (address: string) => void;
  withDivider: boolean;
}

/** A button for each provider. It leaves these pages, so it is a plain link. */
export function Providers({ names, address, onLeave, withDivider }: ProvidersProps) {
  function follow(event: MouseEvent, target: string): void {
    // What opens another tab or window is the browser's: a code that comes back there is asked about.
    if (!onLeave || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onLeave(target);
  }
  return (
    <Stack gap="sm">
      {withDivider && <div className={classes.divider}>or</div>}
      {names.map((name) => (
        <Button
          key={name}
          component="a"
          href={address(name)}
          variant="default"
          fullWidth
          onClick={(event) => follow(event, address(name))}
        >
          Continue with {providerName(name)}
        </Button>
      ))}
    </Stack>
  );
}
