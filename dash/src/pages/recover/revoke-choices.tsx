import { Stack, TextInput } from '@mantine/core';
import type { RecoverableCredential } from '../../api/openapi.js';
import { providerName } from '../../ui/provider-name.js';
import { When } from '../../ui/when.js';
import { useTexts } from '../../texts/texts.js';
import classes from './recover.module.css';

type Kind = RecoverableCredential['kind'];

const KINDS: readonly Kind[] = ['identities', 'passkeys', 'totp', 'keys'];

interface RevokeChoicesProps {
  credentials: RecoverableCredential[];
  chosen: ReadonlySet<Kind>;
  onChange: (chosen: ReadonlySet<Kind>) => void;
  codeError: string | undefined;
}

export function RevokeChoices({ credentials, chosen, onChange, codeError }: RevokeChoicesProps) {
  const { recover } = useTexts('entry');
  const kinds = KINDS.filter((kind) => credentials.some((credential) => credential.kind === kind));
  if (kinds.length === 0) return null;
  const toggle = (kind: Kind, isChosen: boolean) => {
    const others = kinds.filter((other) => other !== kind && chosen.has(other));
    onChange(new Set(isChosen ? [...others, kind] : others));
  };
  return (
    <Stack component="fieldset" className={classes.choices}>
      <legend>{recover.otherCredentials}</legend>
      {kinds.map((kind) => (
        <label key={kind} className={classes.choice}>
          <input
            type="checkbox"
            checked={chosen.has(kind)}
            onChange={(event) => toggle(kind, event.currentTarget.checked)}
          />
          <span>
            {recover.revoke[kind]}
            <CredentialList credentials={credentials.filter((credential) => credential.kind === kind)} />
          </span>
        </label>
      ))}
      {(chosen.has('passkeys') || chosen.has('totp')) && (
        <TextInput
          label={recover.recoveryCode}
          description={recover.recoveryCodeHint}
          name="code"
          error={codeError}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={40}
        />
      )}
    </Stack>
  );
}

function CredentialList({ credentials }: { credentials: RecoverableCredential[] }) {
  return (
    <ul className={classes.credentials}>
      {credentials.map(({ kind, id, name, detail, created_at }) => (
        <li key={id}>
          {kind === 'identities' ? providerName(name ?? '') : name}
          {detail && ` (${detail})`} · <When time={created_at} as="age" />
        </li>
      ))}
    </ul>
  );
}
