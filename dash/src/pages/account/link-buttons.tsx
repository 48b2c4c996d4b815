import { Button } from '@mantine/core';
import { providerName } from '../../ui/provider-name.js';
import classes from './account.module.css';
import { useTexts } from '../../texts/texts.js';

interface LinkButtonsProps {
  providers: string[];
  onLink: (provider: string) => void;
}

export function LinkButtons({ providers, onLink }: LinkButtonsProps) {
  const { account } = useTexts('account');
  if (providers.length === 0) return null;
  return (
    <div className={classes.actions}>
      {providers.map((provider) => (
        <Button key={provider} variant="default" size="sm" onClick={() => onLink(provider)}>
          {account.providers.link(providerName(provider))}
        </Button>
      ))}
    </div>
  );
}
