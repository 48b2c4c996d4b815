const NAMES: Readonly<Record<string, string>> = {
  apple: 'Apple',
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  linkedin: 'LinkedIn',
  microsoft: 'Microsoft',
};

/** Returns the display name of a provider: "acme-id" becomes "Acme id". */
export function providerName(provider: string): string {
  const plain = provider.replace(/[-_]+/g, ' ').trim() || provider;
  return NAMES[provider] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}
