import { Anchor, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { addressOf } from '../../../api/base-path.js';
import { ApiError } from '../../../api/api-error.js';
import type { Permissions } from '../../../api/openapi.js';
import { OWN_KEYS } from '../../../session/keys-api.js';
import { RouteLink } from '../../../ui/route-link.js';
import { Section } from '../section.js';
import { KeyList } from './key-list.js';
import { useTexts } from '../../../texts/texts.js';

interface ApiKeysProps {
  /** Permissions of the user; undefined if they could not be read. */
  permissions: Permissions | undefined;
}

export function ApiKeys({ permissions }: ApiKeysProps) {
  const { keys } = useTexts('account');
  const heading = useRef<HTMLHeadingElement>(null);
  const { error } = useQuery({ queryKey: OWN_KEYS.queryKey, queryFn: OWN_KEYS.list });
  if (error instanceof ApiError && error.code === 'permission_denied') return null;
  return (
    <Section title={keys.title} lead={keys.lead} headingRef={heading}>
      <KeyList store={OWN_KEYS} heading={heading} />
      <Group>
        <Anchor href={addressOf('/api/docs')}>{keys.toReference}</Anchor>
        {permissions?.resources.includes('service-accounts.list') && (
          <RouteLink to="/dash/service-accounts">{keys.toPrograms}</RouteLink>
        )}
      </Group>
    </Section>
  );
}
