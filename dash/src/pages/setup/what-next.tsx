import { Anchor, Text } from '@mantine/core';
import { addressOf } from '../../api/base-path.js';
import { useSession } from '../../session/use-session.js';
import { APP_NAME } from '../../ui/app-name.js';
import { Page } from '../../ui/page.js';
import { RouteButton } from '../../ui/route-link.js';
import { useTexts } from '../../texts/texts.js';
import classes from './setup.module.css';

const COMMANDS = {
  schema: 'npm run cli -- schema:apply',
  roles: 'npm run cli -- roles:seed roles.json',
  invite: 'npm run cli -- user:invite --email ann@example.com',
};

export function WhatNext() {
  const { setup, frame } = useTexts('setup');
  const { schema, roles, invite, api, app } = setup.steps;
  const isSignedIn = useSession().status === 'signed-in';
  return (
    <Page wide title={setup.done(APP_NAME)} lead={isSignedIn ? setup.nextSignedIn : setup.next}>
      <ol className={classes.steps}>
        <Step {...schema} href="/dash/model" command={COMMANDS.schema} />
        <Step {...roles} href="/dash/access" command={COMMANDS.roles} />
        <Step {...invite} href="/dash/people" command={COMMANDS.invite} />
        <Step {...api} href="/api/docs" />
        <Step {...app} href="/api/openapi.json" />
      </ol>
      <RouteButton to={isSignedIn ? '/dash' : '/dash/login'} fullWidth>
        {isSignedIn ? setup.toConsole : frame.toSignIn}
      </RouteButton>
    </Page>
  );
}

interface StepProps {
  title: string;
  text: string;
  link?: string;
  href?: string;
  command?: string;
}

function Step({ title, text, link, href, command }: StepProps) {
  return (
    <li>
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed">
        {text} {link && <Anchor href={href && addressOf(href)}>{link}</Anchor>}
      </Text>
      {command && <code className={classes.command}>{command}</code>}
    </li>
  );
}
