package dev.varve.server.net.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateKeyFileTest {

  private static byte[] file(String name) throws IOException {
    return Files.readAllBytes(Path.of(TestIdentities.path(name)));
  }

  private static PrivateKey read(String name, String password)
      throws IOException, InvalidKeyException {
    return PrivateKeyFile.read(file(name), password);
  }

  private static void assertSameOfCurve(PrivateKey expected, PrivateKey actual) {
    // They are not equal: what is around the number may be written in several ways.
    ECPrivateKey one = (ECPrivateKey) expected;
    ECPrivateKey other = (ECPrivateKey) actual;
    assertEquals(one.getS(), other.getS());
    assertEquals(one.getParams().getCurve(), other.getParams().getCurve());
  }

  @Test
  void aKeyIsTheSameInTheOldFormatAndTheNew() throws IOException, InvalidKeyException {
    assertEquals(read("rsa.key", ""), read("rsa-pkcs1.key", ""));
    assertSameOfCurve(read("ec.key", ""), read("ec-sec1.key", ""));
  }

  @Test
  void aKeyIsTheSameEncryptedAndNot() throws IOException, InvalidKeyException {
    assertEquals(read("rsa.key", ""), read("rsa-encrypted.key", TestIdentities.PASSWORD));
    // For one that is not encrypted none is needed.
    assertEquals(read("rsa.key", ""), read("rsa.key", TestIdentities.PASSWORD));
  }

  @Test
  void keysOfEdwardsCurvesAreRead() throws IOException, InvalidKeyException {
    assertEquals("EdDSA", read("ed25519.key", "").getAlgorithm());
  }

  @Test
  void whatIsBeforeAndBehindAKeyIsPassedOver() throws IOException, InvalidKeyException {
    String text =
        "some words\n"
            + new String(file("client.crt"), US_ASCII)
            + new String(file("ec-sec1.key"), US_ASCII)
            + "more";
    assertSameOfCurve(read("ec.key", ""), PrivateKeyFile.read(text.getBytes(US_ASCII), ""));
  }

  @ParameterizedTest
  @CsvSource({
    "rsa-encrypted.key, '', tls-key-file-pass is to say by what",
    "rsa-encrypted.key, other, not encrypted by tls-key-file-pass",
    "rsa-pkcs1-encrypted.key, secret, openssl pkcs8 -topk8",
    "rsa.crt, '', no private key in it",
    "make.sh, '', no private key in it",
  })
  void whatCannotBeReadIsSaid(String name, String password, String why) {
    InvalidKeyException refused =
        assertThrows(InvalidKeyException.class, () -> read(name, password));
    assertTrue(String.valueOf(refused.getMessage()).contains(why), refused::toString);
  }

  /** Whatever a file has: it is an error that names it, and no other. */
  @ParameterizedTest
  @CsvSource({"rsa-pkcs1.key, RSA ", "ec-sec1.key, 'EC '", "rsa.key, ''", "ed25519.key, ''"})
  void keysThatAreCutOffAnywhereAreRefused(String name, String kind) throws IOException {
    String begin = "-----BEGIN " + kind.strip() + (kind.isBlank() ? "" : " ") + "PRIVATE KEY-----";
    String text = new String(file(name), US_ASCII);
    String end = begin.replace("BEGIN", "END");
    String body = text.substring(text.indexOf(begin) + begin.length(), text.indexOf(end));
    byte[] der = Base64.getMimeDecoder().decode(body);
    for (int length = 1; length < der.length; length++) {
      byte[] part = Arrays.copyOf(der, length);
      String cut = begin + "\n" + Base64.getMimeEncoder().encodeToString(part) + "\n" + end;
      assertThrows(
          InvalidKeyException.class,
          () -> PrivateKeyFile.read(cut.getBytes(US_ASCII), ""),
          name + " of " + length + " bytes");
    }
  }

  /** A file that is being copied, say. */
  @ParameterizedTest
  @ValueSource(strings = {"rsa-pkcs1.key", "ec-sec1.key", "rsa.key", "rsa-encrypted.key"})
  void textsThatAreCutOffAnywhereAreRefused(String name) throws IOException {
    String text = new String(file(name), US_ASCII);
    int from = text.indexOf('\n', text.indexOf("PRIVATE KEY-----")) + 1;
    int end = text.lastIndexOf("-----END");
    for (int at = from; at < end - 4; at++) {
      String cut = text.substring(0, at) + '\n' + text.substring(end);
      assertThrows(
          InvalidKeyException.class,
          () -> PrivateKeyFile.read(cut.getBytes(US_ASCII), "secret"),
          name + " to " + at);
    }
  }

  /**
   * Some are keys all the same; the others are refused, and nobody looks for their end for ever.
   */
  @ParameterizedTest
  @CsvSource({"ec-sec1.key, EC ", "rsa-encrypted.key, ENCRYPTED "})
  @Timeout(60)
  void keysWithWrongLengthsAreRefusedOrRead(String name, String kind) throws IOException {
    String begin = "-----BEGIN " + kind.strip() + " PRIVATE KEY-----";
    String text = new String(file(name), US_ASCII);
    String end = begin.replace("BEGIN", "END");
    String body = text.substring(text.indexOf(begin) + begin.length(), text.indexOf(end));
    byte[] der = Base64.getMimeDecoder().decode(body);
    byte[] wrong = {(byte) 0x84, -1, -1, -1, (byte) 0xFA, 4, 0};
    int refused = 0;
    for (int at = 0; at < Math.min(der.length, 100); at++) {
      for (int length = 1; length <= wrong.length && at + length <= der.length; length++) {
        byte[] its = der.clone();
        System.arraycopy(wrong, 0, its, at, length);
        String file = begin + "\n" + Base64.getMimeEncoder().encodeToString(its) + "\n" + end;
        try {
          PrivateKeyFile.read(file.getBytes(US_ASCII), "secret");
        } catch (InvalidKeyException expected) {
          refused++;
        }
      }
    }
    assertTrue(refused > 0);
  }
}
