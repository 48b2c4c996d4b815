import { defineError, defineProvider, openIdIdentity } from 'lintel';

/** A sign-in by somebody whom Acme does not employ. */
export const NotStaff = defineError('acme_not_staff', { status: 403, message: 'Acme ID is for staff alone.' });

/** The directory of Acme's staff, which speaks OpenID Connect. `AUTH` enables it, and says where it is. */
export const acmeId = defineProvider({
  name: 'acme-id',
  issuer: ({ directory }) => String(directory),
  scopes: ['email', 'profile'],
  settings: {
    directory: {
      expects: 'be the address of the directory',
      accepts: (value) => typeof value === 'string' && URL.canParse(value),
      required: true,
    },
  },
  identity: (claims) => {
    if (claims['department'] === undefined) throw new NotStaff();
    return {
      ...openIdIdentity(claims),
      lastName: `${String(claims['family_name'])} (${String(claims['department'])})`,
    };
  },
});
