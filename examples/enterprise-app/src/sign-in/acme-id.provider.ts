import { defineError, defineProvider, openIdIdentity } from 'lintel';

/** A sign-in of a person who is not an employee of Acme. */
export const NotStaff = defineError('acme_not_staff', { status: 403, message: 'Acme ID is for staff alone.' });

/** Acme's staff directory, an OpenID Connect provider. `AUTH` enables it and sets its URL. */
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
