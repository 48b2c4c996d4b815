import { Button, Stack } from '@mantine/core';
import { providerName } from '../../ui/provider-name.js';
import classes from './login.module.css';

interface ProvidersProps {
  names: string[];
  address: (provider: string) => string;
  withDivider: boolean;
}

/** A button for each provider. It leaves these pages, so it is a plain link. */
export function Providers({ names, address, withDivider }: ProvidersProps) {
  return (
    <Stack gap="sm">
      {withDivider && <div className={classes.divider}>or</div>}
      {names.map((name) => (
        <Button key={name} component="a" href={address(name)} variant="default" fullWidth>
          Continue with {providerName(name)}
        </Button>
      ))}
    </Stack>
  );
}
