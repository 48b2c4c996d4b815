import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getCurrentUser } from '../../session/account-api.js';
import { useTexts } from '../../texts/texts.js';
import type { PageAction } from '../frame/use-page-action.js';
import { sendTestMail } from './service-api.js';
import classes from './service.module.css';

/** Sends a test mail, to the address of the current user by default. */
export function TestMail({ action }: { action: PageAction }) {
  const { mails: texts } = useTexts('service').service;
  const { data: user } = useQuery({ queryKey: ['account', 'me'], queryFn: getCurrentUser });
  const [typed, setTyped] = useState<string | null>(null);
  const email = typed ?? user?.email ?? '';
  return (
    <form
      className={classes.filters}
      onSubmit={(event) => {
        event.preventDefault();
        action.run(texts.testSent, () => sendTestMail(email.trim()));
      }}
    >
      <TextInput
        type="email"
        required
        withAsterisk={false}
        label={texts.testTo}
        value={email}
        onChange={({ currentTarget }) => {
          action.reset();
          setTyped(currentTarget.value);
        }}
        autoComplete="off"
      />
      <Button type="submit" variant="default" size="sm">
        {texts.test}
      </Button>
    </form>
  );
}
