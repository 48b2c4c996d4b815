import { Button } from '@mantine/core';
import type { Identity } from '../../api/openapi.js';
import { providerName } from '../../ui/provider-name.js';
import { When } from '../../ui/when.js';
import classes from './account.module.css';
import { useTexts } from '../../texts/texts.js';

interface IdentityItemProps {
  identity: Identity;
  onRemove: () => void;
}

export function IdentityItem({ identity, onRemove }: IdentityItemProps) {
  const { providers } = useTexts('account').account;
  const name = providerName(identity.provider);
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <div className={classes.rowName}>{name}</div>
        <div className={classes.rowNote}>
          {identity.email && <>{identity.email} · </>}
          {providers.linked(<When time={identity.created_at} as="age" />)}
        </div>
      </div>
      <Button variant="default" size="xs" aria-label={providers.removeOne(name)} onClick={onRemove}>
        {providers.remove}
      </Button>
    </li>
  );
}
