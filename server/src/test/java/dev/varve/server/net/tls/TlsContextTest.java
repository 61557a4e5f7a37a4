package dev.varve.server.net.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.config.TlsParameters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TlsContextTest {

  @TempDir Path directory;

  private static Settings settings(String... values) throws ConfigException {
    Settings settings = new Settings();
    for (int i = 0; i < values.length; i += 2) {
      settings.set(Objects.requireNonNull(Parameters.find(values[i])), values[i + 1]);
    }
    return settings;
  }

  private static Settings identity(String certificate, String key, String... more)
      throws ConfigException {
    Settings settings = settings(more);
    settings.set(TlsParameters.CERT_FILE, TestIdentities.path(certificate));
    settings.set(TlsParameters.KEY_FILE, TestIdentities.path(key));
    return settings;
  }

  private static void assertRefused(Settings settings, String why) {
    ConfigException refused = assertThrows(ConfigException.class, () -> TlsContext.read(settings));
    assertTrue(refused.what().contains(why), refused::what);
  }

  @ParameterizedTest
  @CsvSource({
    "rsa.crt, rsa.key",
    "rsa.crt, rsa-pkcs1.key",
    "rsa.crt, rsa-encrypted.key",
    "ec.crt, ec-sec1.key",
    "ed25519.crt, ed25519.key"
  })
  void aCertificateAndItsKeyAreTaken(String certificate, String key) throws ConfigException {
    TlsContext.read(
        identity(
            certificate,
            key,
            "tls-auth-clients",
            "no",
            "tls-key-file-pass",
            TestIdentities.PASSWORD));
  }

  @ParameterizedTest
  @CsvSource({"rsa.crt, ec.key", "ec.crt, client.key", "rsa.crt, ed25519.key"})
  void theKeyOfAnotherCertificateIsRefused(String certificate, String key) throws ConfigException {
    assertRefused(
        identity(certificate, key, "tls-auth-clients", "no"),
        "not the key of the certificate in '" + TestIdentities.path(certificate) + "'");
  }

  @Test
  void whatIsMissingIsNamed() throws ConfigException {
    assertRefused(settings(), "tls-cert-file: tls-port needs it");
    assertRefused(
        settings("tls-cert-file", TestIdentities.path("rsa.crt")),
        "tls-key-file: tls-port needs it");
    assertRefused(
        identity("rsa.crt", "rsa.key"), "tls-auth-clients: clients' certificates are asked for");
    assertRefused(
        settings("tls-cert-file", "/none.crt", "tls-key-file", "/none.key"),
        "tls-cert-file: '/none.crt': no such file");
    assertRefused(identity("rsa.key", "rsa.key"), "tls-cert-file");
    assertRefused(
        identity("rsa.crt", "rsa.key", "tls-ca-cert-dir", directory.toString()),
        "tls-ca-cert-dir: '" + directory + "': no file with a certificate in it");
  }

  @Test
  void aFileThatIsTooLongIsNotRead() throws ConfigException, IOException {
    Path file = Files.write(directory.resolve("long.pem"), new byte[(16 << 20) + 1]);
    assertRefused(
        settings("tls-cert-file", file.toString(), "tls-key-file", file.toString()),
        "longer than 16777216 bytes");
  }

  @Test
  void olderVersionsCannotBeAskedFor() throws ConfigException {
    Settings settings = settings("tls-protocols", "TLSv1.3 TLSv1.2");
    assertEquals("TLSv1.3 TLSv1.2", settings.text(TlsParameters.PROTOCOLS));
    assertThrows(ConfigException.class, () -> settings("tls-protocols", "TLSv1.1 TLSv1.2"));
  }
}
