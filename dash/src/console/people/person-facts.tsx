import type { ReactNode } from 'react';
import account from '../../pages/account/account.module.css';
import { Section } from '../../pages/account/section.js';
import { useTexts } from '../../texts/texts.js';
import { providerName } from '../../ui/provider-name.js';
import { When } from '../../ui/when.js';
import type { Person } from './people-query.js';

export function PersonFacts({ person }: { person: Person }) {
  const { people } = useTexts('people');
  const { profile } = useTexts('account').account;
  const { email_verified_at: verifiedAt, email, provider } = person;
  const name = [person.first_name, person.last_name].filter(Boolean).join(' ');
  const verification =
    verifiedAt === undefined ? '' : ` (${verifiedAt === null ? people.unverified : people.verified})`;
  return (
    <Section title={people.details}>
      <dl className={account.facts}>
        <Fact term={profile.name} value={name} />
        <Fact term={profile.username} value={person.username} />
        <Fact term={profile.email} value={email && `${email}${verification}`} />
        <Fact term={profile.signsInWith} value={provider && provider !== 'local' && providerName(provider)} />
        <Fact term={profile.memberSince} value={person.created_at && <When time={person.created_at} as="date" />} />
        <Fact term={people.id} value={person.id} />
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
