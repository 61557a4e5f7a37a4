package dev.varve.server.net.tls;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.NamedFile;
import dev.varve.server.config.Parameter;
import dev.varve.server.config.Settings;
import dev.varve.server.config.TlsParameters;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that a server shows, with those between it and its authority, and the key that
 * proves that it is its own.
 *
 * @param chain the server's own first
 */
record Identity(PrivateKey key, List<X509Certificate> chain) {

  /**
   * Reads what {@code settings} name.
   *
   * @throws ConfigException naming the parameter, if there is no such file, or it is not what it
   *     should be, or the two are not of each other
   */
  static Identity read(Settings settings) throws ConfigException {
    String chainPath = path(settings, TlsParameters.CERT_FILE);
    String keyPath = path(settings, TlsParameters.KEY_FILE);
    List<X509Certificate> chain = Certificates.in(TlsParameters.CERT_FILE, chainPath);
    byte[] keyFile = NamedFile.read(TlsParameters.KEY_FILE, keyPath);
    try {
      PrivateKey key = PrivateKeyFile.read(keyFile, settings.text(TlsParameters.KEY_FILE_PASS));
      requirePair(key, chain.get(0).getPublicKey(), chainPath);
      return new Identity(key, chain);
    } catch (InvalidKeyException wrong) {
      throw NamedFile.wrong(TlsParameters.KEY_FILE, keyPath, String.valueOf(wrong.getMessage()));
    }
  }

  private static String path(Settings settings, Parameter parameter) throws ConfigException {
    String path = settings.text(parameter);
    if (path.isEmpty()) {
      throw new ConfigException(parameter.name() + ": tls-port needs it");
    }
    return path;
  }

  /** Else each handshake would fail, and only then. */
  private static void requirePair(PrivateKey key, PublicKey open, String chainPath)
      throws InvalidKeyException {
    boolean isPair;
    try {
      String algorithm = signature(key);
      isPair = algorithm != null && isSignedBy(key, open, algorithm);
    } catch (GeneralSecurityException another) {
      isPair = false;
    }
    if (!isPair) {
      throw new InvalidKeyException("not the key of the certificate in '" + chainPath + "'");
    }
  }

  private static boolean isSignedBy(PrivateKey key, PublicKey open, String algorithm)
      throws GeneralSecurityException {
    byte[] message = "whose".getBytes(StandardCharsets.US_ASCII);
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    signature.update(message);
    byte[] signed = signature.sign();
    signature.initVerify(open);
    signature.update(message);
    return signature.verify(signed);
  }

  private static @Nullable String signature(PrivateKey key) {
    return switch (key.getAlgorithm()) {
      case "RSA" -> "SHA256withRSA";
      case "EC" -> "SHA256withECDSA";
      case "EdDSA" -> "EdDSA";
      default -> null;
    };
  }
}
