import { texts } from '../../texts/texts.js';

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Product name of a non-browser client (RFC 9110 §10.1.5), such as "curl/8.5.0". */
const PROGRAM = /^([\w.-]{1,40})\/[\w.+-]+(?:\s|$)/;
const MAX_LENGTH = 80;

/** Returns a readable device name ("Firefox on Windows"). Other clients keep the name that they send. */
export function deviceName(device: string | null): string {
  const { sessions } = texts('account').account;
  if (!device) return sessions.unknownDevice;
  const browser = BROWSERS.find(([pattern]) => pattern.test(device))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(device))?.[1];
  if (browser && system) return sessions.browserOn(browser, system);
  const program = PROGRAM.exec(device)?.[1];
  if (program && program !== 'Mozilla') return sessions.program(program);
  return device.length > MAX_LENGTH ? `${device.slice(0, MAX_LENGTH)}…` : device;
}
