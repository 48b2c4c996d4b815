import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getCurrentUser } from '../../session/account-api.js';
import { useTexts } from '../../texts/texts.js';
import type { Deed } from '../frame/use-deed.js';
import { sendTestMail } from './service-api.js';
import classes from './service.module.css';

/** Sends a test mail, to the address of the current user by default. */
export function TestMail({ deed }: { deed: Deed }) {
  const { mails: words } = useTexts('service').service;
  const { data: user } = useQuery({ queryKey: ['account', 'me'], queryFn: getCurrentUser });
  const [typed, setTyped] = useState<string | null>(null);
  const email = typed ?? user?.email ?? '';
  return (
    <form
      className={classes.filters}
      onSubmit={(event) => {
        event.preventDefault();
        deed.run(words.testSent, () => sendTestMail(email.trim()));
      }}
    >
      <TextInput
        type="email"
        required
        withAsterisk={false}
        label={words.testTo}
        value={email}
        onChange={({ currentTarget }) => {
          deed.forget();
          setTyped(currentTarget.value);
        }}
        autoComplete="off"
      />
      <Button type="submit" variant="default" size="sm">
        {words.test}
      </Button>
    </form>
  );
}
