const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Formats a size with SI units: a kilobyte is 1,000 bytes. */
export function sizeText(bytes: number, locale: string): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const options = { style: 'unit', unit: UNITS[step], unitDisplay: 'short', maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat(locale, options).format(bytes / 1_000 ** step);
}
