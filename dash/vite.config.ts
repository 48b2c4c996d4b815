import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type UserConfigFnObject } from 'vite';

/** Modules that several pages share, and that the sign-in page does without. */
const NOT_TO_SIGN_IN =
  /(new-password-fields|password-strength|strength-words|(keys|factors|identities|roles)-api|role-choices|account-fields|form-buttons|viewing|when|relative-time|save-file|sign-out|account-api|shown-once|copy-text|size-text|done-page)\.\w/;

/** The service serves the result: assets under `/dash/assets/`, `index.html` for every page. */
const config: UserConfigFnObject = defineConfig(({ command, mode }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // The service writes the addresses into the documents: it may be reached below a path (`APP_URL`).
  base: command === 'build' ? './' : '/dash/',
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../dist/dash', import.meta.url)),
    emptyOutDir: mode !== 'reference',
    rolldownOptions: {
      // What most pages share is one file: in many small ones it packs worse, and the sign-in page has all of them.
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
    // The reference page is Swagger UI, whole.
    chunkSizeWarningLimit: mode === 'reference' ? 1_500 : 500,
    target: ['chrome111', 'edge111', 'firefox114', 'safari16.4'],
  },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:8000' } },
}));

export default config;
