import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type UserConfigFnObject } from 'vite';

/** Shared modules that the sign-in page does not need. */
const NOT_TO_SIGN_IN =
  /(new-password-fields|password-strength|strength-rating|(keys|factors|identities|roles)-api|role-choices|account-fields|form-buttons|viewing|when|relative-time|save-file|sign-out|account-api|shown-once|copy-text|size-text|done-page)\.\w/;

/** Build of the console. The service serves the assets under `/dash/assets/`, and `index.html` for every page. */
const config: UserConfigFnObject = defineConfig(({ command, mode }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative URLs, because the service may run below a path (`APP_URL`), which it writes into the documents.
  base: command === 'build' ? './' : '/dash/',
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../dist/dash', import.meta.url)),
    emptyOutDir: mode !== 'reference',
    rolldownOptions: {
      // One chunk for shared modules: it compresses better than many small ones, and the sign-in page needs all of them.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              test: (id) => /dash.src.(session|ui|app|api|forms|passkeys)./.test(id) && !NOT_TO_SIGN_IN.test(id),
              minShareCount: 2,
            },
          ],
        },
      },
      input: fileURLToPath(new URL(mode === 'reference' ? 'reference.html' : 'index.html', import.meta.url)),
    },
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    // The reference page contains the complete Swagger UI.
    chunkSizeWarningLimit: mode === 'reference' ? 1_500 : 500,
    target: ['chrome111', 'edge111', 'firefox114', 'safari16.4'],
  },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:8000' } },
}));

export default config;
