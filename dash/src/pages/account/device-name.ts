const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
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

/** A browser's own description in words ("Firefox on Windows"); what is no browser is named as it names itself. */
export function deviceName(device: string | null): string {
  if (!device) return 'Unknown device';
  const browser = BROWSERS.find(([pattern]) => pattern.test(device))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(device))?.[1];
  if (browser && system) return `${browser} on ${system}`;
  return device.length > 80 ? `${device.slice(0, 80)}…` : device;
}
