import type { ReactNode } from 'react';
import type { CurrentUser } from '../../api/openapi.js';
import { providerName } from '../../ui/provider-name.js';
import { When } from '../../ui/when.js';
import classes from './account.module.css';
import { Section } from './section.js';

/** What the service knows of the person. */
export function Profile({ user }: { user: CurrentUser }) {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ');
  const provider = user.provider && user.provider !== 'local' ? providerName(user.provider) : null;
  return (
    <Section title="Profile">
      <dl className={classes.facts}>
        <Fact term="Name" value={name} />
        <Fact term="User name" value={user.username} />
        <Fact term="E-mail" value={user.email} />
        <Fact term="Signs in with" value={provider} />
        <Fact term="Roles" value={user.roles?.join(', ')} />
        <Fact term="Member since" value={<When time={user.created_at} dateOnly />} />
      </dl>
    </Section>
  );
}

function Fact({ term, value }: { term: string; value: ReactNode }) {
  if (!value) return null;
  return (
    <>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </>
  );
}
