import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getRouteApi } from '@tanstack/react-router';
import { getPermissions, PERMISSIONS } from '../../session/keys-api.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { RouteLink } from '../../ui/route-link.js';
import { TryAgain } from '../../ui/try-again.js';
import { ConsolePage } from '../frame/console-page.js';
import { Audit } from './audit.js';
import { Backups } from './backups.js';
import { Glance } from './glance-section.js';
import { Jobs } from './jobs.js';
import { Mails } from './mails.js';
import { Migrations } from './migrations.js';
import { openParts, type ServicePart } from '../frame/service-parts.js';
import classes from './service.module.css';
import { Settings } from './settings.js';

const route = getRouteApi('/dash/service');

export function ServicePage() {
  const { service } = useTexts('service');
  const { part: requested } = route.useSearch();
  const { data: permissions, error, refetch } = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  const parts = permissions ? openParts(permissions) : [];
  const part = parts.find((item) => item === requested) ?? parts[0];
  const Part = part && PARTS[part];
  return (
    <ConsolePage title={service.title}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !permissions && <Loading />}
      {permissions && part === undefined && <Notice tone="problem">{service.noAccess}</Notice>}
      {Part && (
        <>
          <nav className={classes.parts} aria-label={service.parts}>
            {parts.map((item) => (
              <RouteLink
                key={item}
                to="/dash/service"
                search={{ part: item }}
                underline="never"
                activeOptions={{ exact: true }}
                {...(item === part && { 'aria-current': 'page' as const })}
              >
                {service.partNames[item]}
              </RouteLink>
            ))}
          </nav>
          <Part key={part} />
        </>
      )}
    </ConsolePage>
  );
}

const PARTS: Readonly<Record<ServicePart, () => ReactNode>> = {
  glance: Glance,
  mails: Mails,
  jobs: Jobs,
  audit: Audit,
  backups: Backups,
  migrations: Migrations,
  settings: Settings,
};
