import { type ComponentProps, lazy, Suspense } from 'react';
import { withTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Page } from '../../ui/page.js';
import { useTexts } from '../../texts/texts.js';
import type { AppFactorPage, FactorPage } from './factor-page.js';

// Loaded on demand, because few sign-ins need it.
const load = withTexts('factors', () => import('./factor-page.js'));
const OwnPage = lazy(async () => ({ default: (await load()).FactorPage }));
const AppPage = lazy(async () => ({ default: (await load()).AppFactorPage }));
const loadEnrolment = withTexts('factors', () => import('./enrolment-page.js'));
const OwnEnrolment = lazy(async () => ({ default: (await loadEnrolment()).EnrolmentPage }));
const AppEnrolment = lazy(async () => ({ default: (await loadEnrolment()).AppEnrolmentPage }));

export function FactorStep(props: ComponentProps<typeof FactorPage>) {
  return (
    <Suspense fallback={<PendingPage />}>
      {props.signIn.isMissing ? <OwnEnrolment {...props} /> : <OwnPage {...props} />}
    </Suspense>
  );
}

export function AppFactorStep(props: ComponentProps<typeof AppFactorPage>) {
  return (
    <Suspense fallback={<PendingPage />}>
      {props.signIn.isMissing ? <AppEnrolment {...props} /> : <AppPage {...props} />}
    </Suspense>
  );
}

function PendingPage() {
  const { signIn, frame } = useTexts();
  return (
    <Page title={signIn.exchanging}>
      <Loading label={frame.moment} />
    </Page>
  );
}
