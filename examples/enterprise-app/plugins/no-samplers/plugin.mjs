// @ts-check

/** Addresses of customers who keep ordering samples. */
const SAMPLERS = ['samples.example', 'free-tea.example'];

/**
 * A plugin that an operator can add without a build: copy the folder to `$DATA_DIR/plugins`.
 *
 * @type {import('lintel/plugin').Plugin}
 */
export default function (app) {
  app.onPreUserRegister((input) => {
    if (SAMPLERS.some((domain) => input.email.endsWith(`@${domain}`)))
      throw new Error('No more samples, please order some tea.');
    input.username ??= `taster-${input.email.split('@')[0]}`;
  });
}
