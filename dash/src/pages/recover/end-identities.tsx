import type { LinkedIdentity } from '../../api/openapi.js';
import { providerName } from '../../ui/provider-name.js';
import classes from './recover.module.css';

interface EndIdentitiesProps {
  identities: LinkedIdentity[];
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** Shows what opens the account beside its password, and offers to end it. */
export function EndIdentities({ identities, checked, onChange }: EndIdentitiesProps) {
  if (identities.length === 0) return null;
  const names = identities.map(({ provider, email }) => providerName(provider) + (email ? ` (${email})` : ''));
  return (
    <label className={classes.choice}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        Your account can also be opened with {names.join(', ')}. Remove this, too, if you do not recognise all of it;
        you can link it again later.
      </span>
    </label>
  );
}
