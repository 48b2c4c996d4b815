import type { LinkedIdentity } from '../../api/openapi.js';
import { providerName } from '../../ui/provider-name.js';
import classes from './recover.module.css';
import { useTexts } from '../../texts/texts.js';

interface EndIdentitiesProps {
  identities: LinkedIdentity[];
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** Shows what opens the account beside its password, and offers to end it. */
export function EndIdentities({ identities, checked, onChange }: EndIdentitiesProps) {
  const { recover } = useTexts('entry');
  if (identities.length === 0) return null;
  const names = identities.map(({ provider, email }) => providerName(provider) + (email ? ` (${email})` : ''));
  return (
    <label className={classes.choice}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{recover.alsoOpens(names.join(', '))}</span>
    </label>
  );
}
