import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { getPermissions, PERMISSIONS } from '../../session/keys-api.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { RouteLink } from '../../ui/route-link.js';
import { TryAgain } from '../../ui/try-again.js';
import { ConsolePage } from '../frame/console-page.js';
import { Audit } from './audit.js';
import { Mails } from './mails.js';
import { openParts, type ServicePart } from '../frame/service-parts.js';
import classes from './service.module.css';
import { Settings } from './settings.js';

const route = getRouteApi('/dash/service');

/** What the service itself has to say: mails that were not sent, what was done, and by which settings it runs. */
export function ServicePage() {
  const { service } = useTexts('service');
  const { part: asked } = route.useSearch();
  const { data: permissions, error, refetch } = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  const parts = permissions ? openParts(permissions) : [];
  const part = parts.find((one) => one === asked) ?? parts[0];
  return (
    <ConsolePage title={service.title}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !permissions && <Loading />}
      {permissions && part === undefined && <Notice tone="problem">{service.nothingOpen}</Notice>}
      {part && (
        <>
          <nav className={classes.parts} aria-label={service.parts}>
            {parts.map((one) => (
              <RouteLink
                key={one}
                to="/dash/service"
                search={{ part: one }}
                underline="never"
                activeOptions={{ exact: true }}
                {...(one === part && { 'aria-current': 'page' as const })}
              >
                {service.partNames[one]}
              </RouteLink>
            ))}
          </nav>
          <Part key={part} part={part} />
        </>
      )}
    </ConsolePage>
  );
}

function Part({ part }: { part: ServicePart }) {
  if (part === 'mails') return <Mails />;
  return part === 'audit' ? <Audit /> : <Settings />;
}
