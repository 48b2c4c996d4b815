import './arrival.js';
import './app/styles.js';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Look } from './app/look.js';
import { router } from './app/router.js';
import { onSessionChange } from './session/session-state.js';

const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 30_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/** Nobody sees what was fetched for somebody else. */
onSessionChange(() => queries.removeQueries({ queryKey: ['account'] }));

const place = document.getElementById('root');
if (place) {
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
