import { CommandError, defineCommand, PasswordHasher, UsersService } from 'lintel';
import { DataSource } from 'typeorm';
import { CustomersService } from './customers.service.js';

/** `node dist/main.js acme:add-customer ann@example.com "Tea & Co" "sturdy walnut 47"` */
export const addCustomer = defineCommand({
  name: 'acme:add-customer',
  description: 'create the account of a customer',
  arguments: { '<email>': 'the address', '<company>': 'the company', '<password>': 'the first password' },
  async run({ app, arguments: [email = '', company = '', password = ''], print }) {
    const users = app.get(UsersService, { strict: false });
    if (!/^[^@\s]+@[^@\s]+$/.test(email)) throw new CommandError(`${email} is no e-mail address.`);
    await users.assertFree(email);
    const passwordHash = await app.get(PasswordHasher, { strict: false }).hash(password);
    const { id } = await app.get(DataSource).transaction(async (manager) => {
      const user = await users.create(manager, {
        email,
        passwordHash,
        provider: 'local',
        activated: true,
        roles: ['user'],
        by: 'administrator',
      });
      await app.get(CustomersService, { strict: false }).change(manager, user.id, { company });
      return user;
    });
    print({ id, email, company }, `${email} is a customer of ${company}.`);
  },
});
