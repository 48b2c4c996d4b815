import './callback-parameters.js';
import './app/styles.js';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Look } from './app/look.js';
import { router } from './app/router.js';
import { peekCallbackParameter } from './callback-parameters.js';
import { getSessionState, onSessionChange } from './session/session-state.js';
import { isSignedIn } from './session/tokens.js';
import { languageOf, speak } from './texts/texts.js';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      retryOnMount: false,
      refetchOnWindowFocus: false,
      staleTime: 30_000,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** Forgets what was fetched, so that nobody sees what was fetched for somebody else. */
onSessionChange(() => {
  const filter = { queryKey: ['account'] };
  if (getSessionState().status === 'signed-in') void queries.resetQueries(filter);
  else queries.removeQueries(filter);
});

/** Every page knows who is there, unless somebody is on the way. */
if (peekCallbackParameter('code') === null) void isSignedIn();

const place = document.getElementById('root');

/** The service has written into the document which language to begin with. */
speak(languageOf(document.documentElement.lang) ?? 'en').then(draw, sayBroken);

function draw(): void {
  if (!place) return;
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Look>
          <RouterProvider router={router} />
        </Look>
      </QueryClientProvider>
    </StrictMode>,
  );
}

/** Says that the page is broken without texts: there are none to say it with. */
function sayBroken(): void {
  if (place) place.textContent = 'This page could not be loaded. Check your connection, then reload it.';
}
